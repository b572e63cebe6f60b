extension UIWindow {
    /// How far in front a window is among its scene's windows. The raw values are Apple's.
    public struct Level: RawRepresentable, Hashable, Comparable, Sendable {
        public let rawValue: CGFloat

        public init(rawValue: CGFloat) { self.rawValue = rawValue }

        /// A level of that value.
        public init(_ rawValue: CGFloat) { self.rawValue = rawValue }

        /// An app's ordinary windows.
        public static let normal = Level(0)
        /// In front of ordinary windows, as a status bar is.
        public static let statusBar = Level(1000)
        /// In front of the others, as an alert is.
        public static let alert = Level(2000)

        /// Orders levels from the back to the front.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
        /// A level so much further in front.
        public static func + (a: Level, b: CGFloat) -> Level { Level(a.rawValue + b) }
        /// A level so much further back.
        public static func - (a: Level, b: CGFloat) -> Level { Level(a.rawValue - b) }
    }

    // The object of each notification is the window.

    /// Posted when a window is shown.
    public nonisolated static let didBecomeVisibleNotification = NSNotification.Name(
        "UIWindowDidBecomeVisibleNotification")
    /// Posted when a window is hidden.
    public nonisolated static let didBecomeHiddenNotification = NSNotification.Name(
        "UIWindowDidBecomeHiddenNotification")
    /// Posted after `becomeKey()`.
    public nonisolated static let didBecomeKeyNotification = NSNotification.Name("UIWindowDidBecomeKeyNotification")
    /// Posted after `resignKey()`.
    public nonisolated static let didResignKeyNotification = NSNotification.Name("UIWindowDidResignKeyNotification")
}

extension UIWindow {
    /// Notifies the window that it has become its scene's key window, or is none any more.
    func updateKey() {
        let isKey = isKeyWindow
        guard isKey != wasKey else { return }
        wasKey = isKey
        if isKey { becomeKey() } else { resignKey() }
        guard UISystem.current != nil else { return }
        NotificationCenter.default.post(
            name: isKey ? Self.didBecomeKeyNotification : Self.didResignKeyNotification, object: self)
    }
}

extension UIWindowScene {
    /// Makes the front-most visible window key, as the key window was hidden or has left the scene.
    /// If none can be key, a hidden one is key again once it is shown.
    func chooseKeyWindow() {
        // A scene that disconnects loses all of them.
        guard UISystem.current?.connections.isConnected(self) == true else { return }
        windows.last { !$0.isHidden && $0.canBecomeKey }?.makeKey()
    }
}
