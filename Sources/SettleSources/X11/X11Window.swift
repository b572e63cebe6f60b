internal import CWindowSystems
internal import Settle
internal import SettleLog

/// What is known of a window that is, or may become, a scene.
struct X11Window {
    /// How many windows are between it and the root, as far as it is known.
    var depth: Int
    /// The scene while it is one.
    var scene: SceneNumber?
    /// Empty if it has none.
    var title = ""
    /// In pixels.
    var width: UInt32 = 0
    var height: UInt32 = 0
    /// In pixels from the root's corner.
    var x: Int32 = 0
    var y: Int32 = 0
    var orientation: InterfaceOrientation?
    var isMapped = false
    var isOverrideRedirect = false
    /// Whether WM_STATE says that it is managed and not withdrawn.
    var hasState = false
    /// Whether it was among the windows of the last answer.
    var isListed = false
    /// Whether it was described once.
    var isDescribed = false
    /// Whether a description is on its way, and whether something has changed meanwhile.
    var isAsked = false
    var isStale = false

    init(depth: Int) { self.depth = depth }

    /// Takes a description.
    mutating func take(_ event: x11_event) {
        title = UnsafeBufferPointer(start: event.title, count: event.title_length)
            .withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
        (width, height, x, y) = (event.width, event.height, event.x, event.y)
        (isMapped, isOverrideRedirect) = (event.is_mapped, event.is_override_redirect)
        hasState = event.has_state
        (isDescribed, isAsked, isStale) = (true, false, false)
    }

    /// Takes a ConfigureNotify event.
    ///
    /// - Parameter tellsPlace: Whether its place is that on the desktop, and not that in a frame.
    /// - Returns: The event of the log, `nil` for none.
    mutating func configure(
        _ event: x11_event, tellsPlace: Bool, on screens: X11Screens, at clock: () -> Timestamp
    ) -> LogEvent? {
        // A description that is on its way has a size which is newer than this one.
        guard isDescribed else { return nil }
        let isNewSize = width != event.width || height != event.height
        (width, height) = (event.width, event.height)
        if tellsPlace { (x, y) = (event.x, event.y) }
        let isTurned = tellsPlace && turn(on: screens)
        // Window managers repeat each size with an event of their own, for the sake of the place.
        return isNewSize || isTurned || !event.is_synthetic ? geometry(at: clock()) : nil
    }

    /// Takes the orientation of the screen that it is on. Returns whether it is another one.
    mutating func turn(on screens: X11Screens) -> Bool {
        guard scene != nil, let turned = screens.orientation(x: x, y: y, width: width, height: height),
            turned != orientation
        else { return false }
        orientation = turned
        return true
    }

    /// The event that states what it is like; `nil` while it is no scene.
    func geometry(at time: Timestamp) -> LogEvent? {
        guard let scene else { return nil }
        let size = Size(width: Double(width), height: Double(height))
        return .geometry(scene, at: time, size: size, orientation: orientation)
    }

    /// Whether it is a scene of a desktop whose windows are listed in this way.
    func isScene(in list: x11_window_list) -> Bool {
        switch list {
        case X11_LISTED: isListed
        case X11_MANAGED: hasState
        default: isListed && isMapped && !isOverrideRedirect
        }
    }
}

/// A scene's name in a log: the window's title at first sight, and its identifier, which no other
/// window has at the same time. A title may contain anything and be of any length.
func x11SceneName(title: String, window: UInt32) -> String {
    let id = "0x" + String(window, radix: 16)
    return title.isEmpty ? id : title.escaped.shortened(toBytes: 200) + " " + id
}
