internal import CWindowSystems

/// What an X server is asked. The answers come as events, in the order of the questions.
protocol X11Questions: AnyObject {
    /// Which windows are there?
    func askWindows()
    /// Which windows are the children of this one?
    func askChildren(of window: UInt32)
    /// What is this window like, and what changes of it from now on?
    func describe(_ window: UInt32)
    /// Which buttons are held?
    func askButtons()
    /// What screens are there?
    func askScreens()
}

/// A connection to an X server. One thread at a time.
final class X11Desktop: X11Questions {
    private let desktop: OpaquePointer

    /// How long to wait for a server, in milliseconds: longer than a loaded one needs, and than most
    /// drags last during which a window manager grabs the server.
    static let limit: UInt32 = 10_000

    /// Connects, and waits for the server until the limit.
    init(display: String?, limit: UInt32 = X11Desktop.limit) throws(SourceError) {
        var message = [CChar](repeating: 0, count: Int(X11_MESSAGE_MAX))
        guard let desktop = x11_desktop_open(display, limit, &message) else {
            // The array is not empty.
            throw SourceError(message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        }
        self.desktop = desktop
    }

    deinit { x11_desktop_close(desktop) }

    var descriptor: Int32 { x11_desktop_descriptor(desktop) }
    var isXWayland: Bool { x11_desktop_is_xwayland(desktop) }

    /// What to say of a display whose other screens are not watched; `nil` if there are none.
    var screensMessage: String? {
        x11ScreensMessage(screen: Int(x11_desktop_screen(desktop)), count: Int(x11_desktop_screen_count(desktop)))
    }

    /// The next event. Its pointers are valid until the next call.
    func next() -> x11_event { x11_desktop_next(desktop) }

    func askWindows() { x11_desktop_ask_windows(desktop) }
    func askChildren(of window: UInt32) { x11_desktop_ask_children(desktop, window) }
    func describe(_ window: UInt32) { x11_desktop_describe(desktop, window) }
    func askButtons() { x11_desktop_ask_buttons(desktop) }
    func askScreens() { x11_desktop_ask_screens(desktop) }
}

/// What to say of a display whose other screens are not watched; `nil` if there are none.
func x11ScreensMessage(screen: Int, count: Int) -> String? {
    guard count > 1 else { return nil }
    return "only screen \(screen) of this display's \(count) is watched; for another one, put its number after the"
        + " display's name, as in :0.\(screen == 0 ? 1 : 0)"
}
