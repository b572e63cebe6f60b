internal import CWindowSystems
internal import SettleClock
public import SettleLog
internal import SettlePlatform

/// The windows of an X11 desktop: their sizes, the pointer's buttons and the screens' turns.
///
/// Windows are those that the living window manager lists (`_NET_CLIENT_LIST`), those that it marks
/// (WM_STATE) if it has no list, and the visible children of the root if there is no window
/// manager. Nothing says that one of them is being resized; the release of the pointer's buttons,
/// which is seen in spite of the window manager's grab (XInput 2.1), is the end of a drag. Keys,
/// the contents of windows and the clipboard are neither read nor asked for. Menus and tooltips, which
/// are override-redirect, are no windows of the desktop.
///
/// The server's end is an error of `read`, also in a process that does not ignore SIGPIPE.
///
/// ConfigureNotify has no time, so events have the time at which they were received.
public final class X11Source: GeometrySource {
    public static let kind = SourceKind(
        name: "x11", summary: "every window of an X11 desktop", unit: "px", hasResizingFlag: false,
        pointer: "all buttons but the wheel's; none under XWayland, which hides them during drags",
        timeStamps: .receipt, names: "the window's title, or its class, and its identifier", hasOrientation: true,
        selection: .flag("x11", desktop: "X11 desktop"),
        parameters: [.init(name: "display", summary: "the X11 display (that of the environment)")],
        packages: ["libxcb1", "libxcb-randr0", "libxcb-xinput0"],
        problem: {
            do throws(SourceError) {
                _ = try withoutBrokenPipe { () throws(SourceError) in try X11Desktop(display: nil) }
                return nil
            } catch {
                return error.description
            }
        },
        open: { arguments throws(SourceError) in try X11Source(display: arguments.values["display"]) })

    public let header: LogHeader
    public let scenes = SceneNames()
    private let desktop: X11Desktop
    private var windows: X11Windows

    /// Connects to an X server, and waits for it at most 10 s. Of a display with several screens, the
    /// one that its name gives is watched, and a message says so.
    ///
    /// - Parameter display: A name such as `:0`; `nil` for the environment variable DISPLAY.
    /// - Throws: When libraries are missing, when no server accepts the connection or answers, or
    ///   when it lacks XInput 2.1.
    public init(display: String? = nil) throws(SourceError) {
        desktop = try withoutBrokenPipe { () throws(SourceError) in try X11Desktop(display: display) }
        header = LogHeader(unit: Self.kind.unit, source: Self.kind.name)
        windows = X11Windows(desktop, scenes: scenes) { MonotonicClock.now }
        if let message = desktop.screensMessage { windows.news.append(.message(message)) }
        guard desktop.isXWayland else { return }
        windows.news.append(
            .message(
                "this X server is XWayland, which hides the pointer's buttons while the compositor drags a window:"
                    + " none are reported, and a drag's end is found by quiet time. For a program that speaks Wayland,"
                    + " watch it with: settle watch -- PROGRAM"))
    }

    public var descriptor: Int32 { desktop.descriptor }

    public func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        // libxcb writes its questions by writev.
        try withoutBrokenPipe { () throws(SourceError) in try readEvents(into: batch) }
    }

    private func readEvents(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        while true {
            batch.move(&windows.events)
            // The rest waits for the next call, which comes at once.
            if batch.isFull { break }
            let event = desktop.next()
            if event.kind == X11_NOTHING { break }
            if event.kind == X11_CLOSED {
                throw SourceError(
                    "the X server closed the connection: it has ended, or it ended this client; start this anew")
            }
            if event.kind == X11_NO_MEMORY { throw SourceError("there is no memory for the windows of the X display") }
            windows.take(event)
        }
        defer { windows.news.removeAll() }
        return windows.news
    }
}
