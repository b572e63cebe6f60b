public import Settle

/// The operating system's side of an app, without a screen: what a host or a test does to
/// scenes, and the engine that decides what the app's delegates are called with.
///
/// ```swift
/// let system = try UISystem(UISystem.Configuration(infoPlist: url))
/// try system.launch(AppDelegate.self)
/// let scene = system.windowScenes[0]
/// try system.beginResize(scene)
/// try system.resize(scene, to: CGSize(width: 700, height: 500))
/// try system.endResize(scene)
/// ```
///
/// One system runs at a time: a new one replaces it, for `UIApplication.shared` and the
/// like. Use it on the main thread; only `post` may be called from others.
///
/// A call makes all its callbacks before it returns. A call from within a callback makes
/// its callbacks after that one has returned. If it changes a scene's state, the change
/// takes effect after the changes of the outermost call, and an error is logged instead
/// of thrown; see `stateChangesMax`.
@preconcurrency @MainActor public final class UISystem {
    /// What the host chose.
    public let configuration: Configuration
    /// The simulated device and operating system.
    public var platform: Platform { configuration.platform }
    /// The app: `UIApplication.shared`.
    public var application: UIApplication { app.application }
    /// The device: `UIDevice.current`.
    public let device: UIDevice
    /// The attached screens, the device's own first.
    public var screens: [UIScreen] { displays.screens }

    /// Gets each decision of the engine, before the scene's delegate gets the geometry that
    /// caused it. Rebuilds of a scene in the background are decided when it enters the
    /// foreground.
    public var onDecision: ((UIWindowScene, Decision) -> Void)? {
        get { reports.onDecision }
        set { reports.onDecision = newValue }
    }

    /// Gets each decision of the engine for a column of a split view. A rebuild of a hidden column
    /// waits until the column is shown. An interaction of a column that is hidden, disconnected or
    /// given another view controller ends at once.
    public var onColumnDecision: ((UISplitViewController, UISplitViewController.Column, Decision) -> Void)? {
        get { reports.onColumnDecision }
        set { reports.onColumnDecision = newValue }
    }

    /// Gets each call to a delegate of the app, just before it is made.
    public var onCallback: ((Callback) -> Void)? {
        get { reports.onCallback }
        set { reports.onCallback = newValue }
    }

    /// Decides whether the app gets a scene that it requests; the default allows all.
    public var allowsActivation: (UISceneSessionActivationRequest) -> Bool = { _ in true }

    /// Whether an app of the device can open a URL; the default allows those of web pages.
    public var canOpenURL: (URL) -> Bool = { ["http", "https"].contains($0.scheme?.lowercased()) }

    /// Gets each URL that the app opens in another one.
    public var onOpenURL: ((URL) -> Void)?

    /// What the system logged, oldest first.
    public var messages: [String] { reports.messages }

    /// The system that was made last.
    @exclusivity(unchecked) public private(set) static var current: UISystem?

    /// The running system. Stops the program if there is none.
    static var running: UISystem {
        guard let current else {
            fatalError("there is no running system; call UIApplicationMain or make a UISystem first")
        }
        return current
    }

    // Each part has those of the ones above it that it needs, and none below.
    let app: RunningApp
    let timed: TimedEngine
    let reports: Reports
    /// What one outermost call into the system changes, and delivers at its end.
    let turn: Turn
    /// The engine, for window scenes and for columns of split views.
    let engine: SceneEngine
    /// The screens, and what they determine: orientations, and the sizes of scenes.
    let displays: Displays
    /// How scenes connect, live and disconnect.
    let connections: Connections
    nonisolated let inbox = EventInbox()

    /// A system that has not launched an app yet. It becomes `current`.
    ///
    /// - Throws: `UISystem.Error` if the platform or the Info.plist cannot be used,
    ///   `EngineError` if the policy or `scenesMax` is out of range.
    public convenience init(_ configuration: Configuration = Configuration()) throws {
        try self.init(configuration, application: UIApplication())
    }

    init(_ configuration: Configuration, application: UIApplication) throws {
        try configuration.platform.check()
        self.configuration = configuration
        app = RunningApp(application, try Connections.readInfoPlist(configuration.infoPlist))
        device = UIDevice(configuration.platform)
        timed = try TimedEngine(configuration)
        reports = Reports(timed, writing: configuration.log)
        turn = Turn(configuration, app, timed, reports, inbox)
        engine = SceneEngine(configuration, timed, turn, reports)
        displays = Displays(configuration.platform, device, app, engine, turn)
        connections = Connections(configuration, app, displays, engine)
        // Releasing the previous system may deallocate it, which uses `current`.
        let previous = Self.current
        Self.current = self
        withExtendedLifetime(previous) {}
        CurrentTraits.ofScreen = displays.screenTraits
        app.infoPlist.warnings.forEach(log)
    }

    isolated deinit {
        for scene in connections.connectedScenes.values { connections.detach(scene) }
    }

    /// The device's own screen.
    public var mainScreen: UIScreen { displays.mainScreen }

    /// The connected scenes, in the order of their sessions.
    public var scenes: [UIScene] { app.scenes }

    /// The connected window scenes, in the order of their sessions: in an app without
    /// earlier launches, the oldest session's first.
    public var windowScenes: [UIWindowScene] { app.windowScenes }

    /// The scene's handle in the engine, for events that the host makes itself.
    public func identity(of scene: UIWindowScene) -> SceneID { scene.identity }

    /// The present time, by the configuration's clock.
    public var now: Timestamp { timed.now }

    /// The engine's counters.
    public var statistics: Engine.Statistics { timed.core.statistics }

    func log(_ message: String) { reports.log(message) }
    func logOnce(_ message: String) { reports.logOnce(message) }
}

// `@exclusivity(unchecked)` in this module: a property that the benchmarks of scenes read or write for
// every event, and for which the compiler cannot omit the run-time check for overlapping access. The
// checks of all of them take up to 80 percent more instructions. Only the main actor uses them, and no
// closure that changes one in place uses it. All other properties are checked.

extension CGSize {
    /// A portrait size in an interface of that orientation: with swapped sides if that is
    /// landscape.
    func turned(_ orientation: UIInterfaceOrientation) -> CGSize {
        let isWide = width > height
        return orientation.isLandscape && !isWide ? CGSize(width: height, height: width) : self
    }
}
