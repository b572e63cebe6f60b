internal import CWindowSystems
internal import Settle
internal import SettleLog

/// Makes events of a log of what an X server says about its windows. It needs no server: what it
/// has to ask, it asks `questions`.
///
/// Windows are the window manager's: those of its list while it lives, or those that it marks by
/// WM_STATE if it has no list. Without a window manager they are the root's children. Whatever may change the
/// set makes it ask for the set anew, so that there is one place where windows come and go.
struct X11Windows {
    /// Events that have not been taken.
    var events: [LogEvent] = []
    /// News that have not been taken.
    var news: [SourceNews] = []

    /// Names of windows, with those of windows that are closed; windows that come later are not
    /// followed, so that memory has a bound.
    static let scenesMax = 1 << 16
    /// How deep below the root a window manager without a list is expected to put windows.
    private static let depthMax = 3

    private let questions: any X11Questions
    private let scenes: SceneNames
    private let clock: () -> Timestamp
    private var windows: [UInt32: X11Window] = [:]
    private var screens = X11Screens()
    private var buttons = X11Buttons()
    private var list = X11_LISTED
    /// The window that is destroyed with the owner of the list; 0 if there is none.
    private var listOwner: UInt32 = 0
    private var isListAsked = false
    private var isListStale = false
    /// Whether it was said that there are too many windows.
    private var isFullSaid = false

    /// Asks its first questions.
    ///
    /// - Parameter clock: Gives the time at which an event is received.
    init(_ questions: any X11Questions, scenes: SceneNames, clock: @escaping () -> Timestamp) {
        self.questions = questions
        self.scenes = scenes
        self.clock = clock
        // Buttons first: whatever is held was pressed before any change that is seen, and a change
        // that comes between the windows' first sizes begins an interaction (rule 5). A first size
        // itself begins none, as nothing is built then.
        questions.askButtons()
        questions.askScreens()
        askWindows()
    }

    /// Takes an event of the server.
    mutating func take(_ event: x11_event) {
        switch event.kind {
        case X11_CONFIGURED: configured(event)
        case X11_BUTTON:
            let button = X11Buttons.Button(device: event.device, number: event.button)
            if let change = buttons.change(button, isPressed: event.is_pressed) { report([change]) }
        case X11_DESCRIBED: described(event)
        case X11_DESTROYED:
            forget(event.window)
            // An answer that is on its way may name this one as the owner.
            if event.window == listOwner || isListAsked { askWindows() }
        case X11_UNKNOWN_WINDOW: forget(event.window)
        case X11_MAPPED: mapped(event)
        case X11_UNMAPPED:
            update(event.window) { $0.isMapped = false }
        case X11_REPARENTED:
            askWindows()
            // Without a list, this is how a window comes to be below the root's children.
            if list == X11_MANAGED { describe(event.window, depth: 1) }
        case X11_LIST_CHANGED: askWindows()
        case X11_WINDOW_CHANGED:
            if let window = windows[event.window] { describe(event.window, depth: window.depth) }
        case X11_WINDOWS: listed(event)
        case X11_CHILDREN:
            guard list == X11_MANAGED, let parent = windows[event.window] else { return }
            for child in event.allWindows where windows[child] == nil { describe(child, depth: parent.depth + 1) }
        case X11_BUTTONS_CHANGED: questions.askButtons()
        case X11_BUTTONS: report(buttons.set(event.allButtons))
        case X11_SCREENS_CHANGED: questions.askScreens()
        case X11_SCREEN: screen(event)
        default: break
        }
    }

    // MARK: Which windows there are

    private mutating func askWindows() {
        // An answer that is on its way may be older than what has changed now.
        isListStale = isListAsked
        guard !isListAsked else { return }
        isListAsked = true
        questions.askWindows()
    }

    private mutating func listed(_ event: x11_event) {
        isListAsked = false
        if isListStale { askWindows() }
        (list, listOwner) = (event.list, event.window)
        let present = Set(event.allWindows)
        // In the order of the identifiers, so that a log of the same events is the same.
        for window in windows.keys.sorted() {
            let isPresent = present.contains(window)
            windows[window]?.isListed = isPresent
            if isPresent || list == X11_MANAGED { reconsider(window) } else { forget(window) }
        }
        for window in event.allWindows where windows[window] == nil {
            describe(window, depth: 0)
            windows[window]?.isListed = true
        }
    }

    private mutating func describe(_ id: UInt32, depth: Int) {
        if let window = windows[id], window.isAsked {
            windows[id]?.isStale = true
            return
        }
        windows[id, default: X11Window(depth: depth)].isAsked = true
        questions.describe(id)
    }

    private mutating func described(_ event: x11_event) {
        guard var window = windows[event.window] else { return }
        let isFirst = !window.isDescribed
        let wasStale = window.isStale
        let oldTitle = window.title
        window.take(event)
        windows[event.window] = window
        if wasStale { describe(event.window, depth: window.depth) }
        reconsider(event.window)
        if let scene = windows[event.window]?.scene, window.title != oldTitle, scene == window.scene {
            news.append(.title(scene, window.title))
        }
        // What the window manager put around windows contains them.
        let mayContainWindows = list == X11_MANAGED && !window.hasState && !window.isOverrideRedirect
        if isFirst, mayContainWindows, window.depth < Self.depthMax { questions.askChildren(of: event.window) }
    }

    private mutating func mapped(_ event: x11_event) {
        update(event.window) { $0.isMapped = true }
        // A menu is no window of the desktop, and need not be asked about.
        if !event.is_override_redirect, windows[event.window]?.scene == nil { askWindows() }
    }

    /// Changes what is known of a window. A description that is on its way may be older.
    private mutating func update(_ id: UInt32, _ change: (inout X11Window) -> Void) {
        guard var window = windows[id] else { return }
        change(&window)
        window.isStale = window.isAsked
        windows[id] = window
        reconsider(id)
    }

    /// Connects or disconnects a window, as what is known of it says.
    private mutating func reconsider(_ id: UInt32) {
        guard let window = windows[id], window.isDescribed else { return }
        let isScene = window.isScene(in: list)
        if isScene, window.scene == nil {
            connect(id, window)
        } else if !isScene, let scene = window.scene {
            windows[id]?.scene = nil
            events.append(.disconnect(scene, at: clock()))
        }
    }

    private mutating func connect(_ id: UInt32, _ window: X11Window) {
        guard let scene = scene(named: x11SceneName(title: window.title, window: id)) else { return }
        windows[id]?.scene = scene
        if !window.title.isEmpty { news.append(.title(scene, window.title)) }
        _ = windows[id]?.turn(on: screens)
        reportGeometry(of: id)
    }

    /// The scene of a new window; `nil` if there are too many.
    private mutating func scene(named name: String) -> SceneNumber? {
        if scenes.count < Self.scenesMax { return scenes.number(of: name) }
        if !isFullSaid {
            isFullSaid = true
            news.append(
                .message(
                    "this desktop has had \(Self.scenesMax) windows, with those that are closed; further ones are not"
                        + " followed. Start this anew to watch them"))
        }
        return nil
    }

    private mutating func forget(_ id: UInt32) {
        guard let window = windows.removeValue(forKey: id), let scene = window.scene else { return }
        events.append(.disconnect(scene, at: clock()))
    }

    // MARK: Sizes, screens and buttons

    /// The path of most events: one look at the table, and no copy of what is known.
    private mutating func configured(_ event: x11_event) {
        guard let index = windows.index(forKey: event.window) else { return }
        let tellsPlace = event.is_synthetic || list == X11_UNMANAGED
        if let event = windows.values[index].configure(event, tellsPlace: tellsPlace, on: screens, at: clock) {
            events.append(event)
        }
    }

    private mutating func screen(_ event: x11_event) {
        let screen = X11Screens.Screen(
            x: event.x, y: event.y, width: event.width, height: event.height, rotation: event.rotation)
        guard screens.add(screen, isLast: event.is_last) else { return }
        for window in windows.keys.sorted() {
            if windows[window]?.turn(on: screens) == true { reportGeometry(of: window) }
        }
    }

    private mutating func reportGeometry(of id: UInt32) {
        if let event = windows[id]?.geometry(at: clock()) { events.append(event) }
    }

    private mutating func report(_ changes: [X11Buttons.Change]) {
        for change in changes {
            events.append(.pointer(button: change.number, at: clock(), isPressed: change.isPressed))
        }
    }
}

extension x11_event {
    fileprivate var allWindows: UnsafeBufferPointer<UInt32> {
        UnsafeBufferPointer(start: windows, count: window_count)
    }

    fileprivate var allButtons: [X11Buttons.Button] {
        UnsafeBufferPointer(start: buttons, count: button_count).map {
            X11Buttons.Button(device: $0.device, number: $0.button)
        }
    }
}
