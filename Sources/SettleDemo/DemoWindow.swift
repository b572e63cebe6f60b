import CDemoWindow
import SettlePlatform

/// Why the program ends before its time, with its exit status.
struct DemoFailure: Error {
    let status: Int32
    let message: String

    static func usage(_ message: String) -> DemoFailure { DemoFailure(status: 2, message: message) }
    static func system(_ message: String) -> DemoFailure { DemoFailure(status: 3, message: message) }
}

/// The window, for the thread that opened it.
final class DemoWindow {
    enum System: String {
        case wayland, x11

        fileprivate var number: demo_window_system { self == .wayland ? DEMO_WINDOW_WAYLAND : DEMO_WINDOW_X11 }
    }

    enum Event {
        /// `isResizing` is `nil` if the window system states nothing about it.
        ///
        /// Everything is drawn `scale` times as large as on a display with the scale 1.
        case size(PixelSize, scale: Double, isResizing: Bool?)
        case button(UInt32, isPressed: Bool)
        case damaged
        case close
    }

    let system: System
    private let window: OpaquePointer

    /// - Parameters:
    ///   - system: Where it opens.
    ///   - size: On a display with the scale 1.
    /// - Throws: `DemoFailure` with the cause, and the package that is missing.
    init(_ system: System, size: PixelSize) throws(DemoFailure) {
        self.system = system
        var message = [CChar](repeating: 0, count: DEMO_WINDOW_MESSAGE_MAX)
        var opened: OpaquePointer?
        let result = "Settle: a resize demo".withCString { title in
            var options = demo_window_options(
                title: title, width: Int32(size.width), height: Int32(size.height),
                minimum_width: Int32(WindowLayout.minimum.width),
                minimum_height: Int32(WindowLayout.minimum.height))
            return demo_window_open(system.number, &options, &opened, &message)
        }
        guard result == 0, let opened else { throw .system(text(message)) }
        window = opened
    }

    deinit { demo_window_close(window) }

    var descriptor: Int32 { demo_window_descriptor(window) }
    var drawsFrame: Bool { demo_window_draws_frame(window) }

    /// What ends a drag here, in a few words.
    var endSignal: String {
        if demo_window_reports_resizing(window) { return "resizing flag" }
        return demo_window_reports_buttons(window) ? "pointer buttons" : "no end signal: a quiet time"
    }

    /// The next thing that has happened; `nil` for nothing more now.
    ///
    /// - Throws: `DemoFailure` when the connection is lost.
    func next() throws(DemoFailure) -> Event? {
        var event = demo_window_event()
        let result = demo_window_next(window, &event)
        guard result >= 0 else { throw lost }
        guard result > 0 else { return nil }
        switch event.kind {
        case DEMO_WINDOW_SIZE:
            return .size(
                PixelSize(width: Int(event.width_px), height: Int(event.height_px)), scale: event.scale,
                isResizing: demo_window_reports_resizing(window) ? event.resizing : nil)
        case DEMO_WINDOW_BUTTON: return .button(event.button, isPressed: event.pressed)
        case DEMO_WINDOW_DAMAGED: return .damaged
        default: return .close
        }
    }

    /// Draws and shows the content, unless the window system still works at the last one.
    ///
    /// - Returns: Whether it was drawn.
    /// - Throws: `DemoFailure` when the connection is lost.
    func present(_ size: PixelSize, draw: (Canvas) -> Void) throws(DemoFailure) -> Bool {
        var pixels: UnsafeMutablePointer<UInt32>?
        let result = demo_window_begin(window, Int32(clamping: size.width), Int32(clamping: size.height), &pixels)
        guard result >= 0 else { throw lost }
        guard result > 0, let pixels else { return false }
        draw(Canvas(pixels: pixels, size: size))
        demo_window_present(window)
        return true
    }

    private var lost: DemoFailure { .system(String(cString: demo_window_message(window))) }
}

/// A text in a buffer of C, up to its terminating zero.
func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
