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

    init(display: String?) throws(SourceError) {
        var message = [CChar](repeating: 0, count: Int(X11_MESSAGE_MAX))
        guard let desktop = x11_desktop_open(display, &message) else {
            throw SourceError(message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        }
        self.desktop = desktop
    }

    deinit { x11_desktop_close(desktop) }

    var descriptor: Int32 { x11_desktop_descriptor(desktop) }
    var isXWayland: Bool { x11_desktop_is_xwayland(desktop) }

    /// The next event. Its pointers are valid until the next call.
    func next() -> x11_event { x11_desktop_next(desktop) }

    func askWindows() { x11_desktop_ask_windows(desktop) }
    func askChildren(of window: UInt32) { x11_desktop_ask_children(desktop, window) }
    func describe(_ window: UInt32) { x11_desktop_describe(desktop, window) }
    func askButtons() { x11_desktop_ask_buttons(desktop) }
    func askScreens() { x11_desktop_ask_screens(desktop) }
}
