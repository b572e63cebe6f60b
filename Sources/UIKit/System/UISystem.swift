public import Settle
internal import SettleLoop
internal import SettlePlatform

/// The system's side of an app: what a host or a test does to scenes, and the engine
/// that decides what the app hears of it. It stands where iOS stands for an app on a
/// device; there is no screen.
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
/// One system runs at a time; making another replaces it, for `UIApplication.shared`
/// and the like. Everything happens on the main thread, and what the app hears, it has
/// heard when a call returns, unless the call was made from within a callback: then it
/// is heard after that one. A call from within a callback that connects no scene but
/// changes a scene's state takes effect after the present call from outside has made its
/// own changes; what it throws then is logged. See `stateChangesMax`.
@preconcurrency @MainActor public final class UISystem {
    public let configuration: Configuration
    public var platform: UIPlatform { configuration.platform }
    public let application: UIApplication
    public let device: UIDevice
    public internal(set) var screens: [UIScreen]

    /// Hears what the engine decided, before the scene's delegate hears of the geometry
    /// from which it stems. Rebuilds of a scene in the background wait for the foreground.
    @exclusivity(unchecked) public var onDecision: ((UIWindowScene, Decision) -> Void)?

    /// Hears of each call to a delegate of the app, just before it is made.
    @exclusivity(unchecked) public var onCallback: ((UICallback) -> Void)?

    /// Decides whether the app may have a scene that it asks for; by default it may.
    public var allowsActivation: (UISceneSessionActivationRequest) -> Bool = { _ in true }

    /// What the system logged, oldest first.
    public private(set) var messages: [String] = []

    /// The system that was made last.
    public private(set) static var current: UISystem?

    /// The running system, for what cannot be without one.
    static var running: UISystem {
        guard let current else {
            fatalError("no system runs; call UIApplicationMain, or make a UISystem")
        }
        return current
    }

    let infoPlist: InfoPropertyList
    var phase = Phase.made
    /// All that is known, connected or not: first those of earlier launches, the one that
    /// was in front last after the others; then the oldest first.
    var sessions: [UISceneSession] = []
    /// The greatest of the sessions' `activation`.
    var activations: UInt64 = 0
    /// External displays for which the app was not asked yet.
    var displaysToOffer: [UIScreen] = []
    /// An app without scenes does not open the URLs of its launch when it says so.
    var opensLaunchURLs = true
    /// Keeps the connected scenes.
    var connected: [ObjectIdentifier: UIScene] = [:]
    /// Windows of an app without scenes, made before its interface was there.
    var loneWindows: [UIWindow] = []
    var keeper: SessionKeeper?

    // The engine and what goes with it; see UISystem+Events. Every event uses these, so
    // they go without the run-time check for overlapping uses: the main actor is the only
    // user, and no closure that the engine runs touches the engine.
    @exclusivity(unchecked) var engine: Engine
    let indices: Engine.SceneIndices
    /// By the engine's index; `nil` where no scene is connected.
    @exclusivity(unchecked) var scenesByIndex: [UIWindowScene?] = []
    @exclusivity(unchecked) var decided: [Decision] = []
    @exclusivity(unchecked) var isTaking = false
    @exclusivity(unchecked) var touched: [UIWindowScene] = []
    /// How many calls deep the system is; what waits is done by the outermost.
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var waiting: [() -> Void] = []
    /// How many calls from outside have ended.
    @exclusivity(unchecked) var callsEnded = 0
    /// `advance` fires deadlines, each with its callbacks; all are one call from outside.
    @exclusivity(unchecked) var isAdvancing = false
    /// How many changes of scenes' states callbacks asked for within the present call.
    var changesInCall = 0
    /// It was logged that `stateChangesMax` was reached.
    var hasLoggedChangesMax = false
    /// What the app gets once the call in which it asked has returned.
    @exclusivity(unchecked) var nextTurn: [() -> Void] = []
    /// How many scenes prefer a lock, granted or not.
    var lockWishes = 0
    let wakeUp: WakeUp?
    nonisolated let inbox = EventInbox()

    enum Phase {
        case made
        case launching
        /// The app adopts the scene life cycle.
        case scenes
        /// It does not, and its delegate hears what scene delegates would.
        case withoutScenes
        case ended
    }

    /// What the host chooses.
    public struct Configuration {
        public var platform: UIPlatform
        /// The app's Info.plist; `nil` for none, as in an app without scenes.
        public var infoPlist: URL?
        /// What `$(PRODUCT_MODULE_NAME)` stands for in it; `nil` for the module of the app
        /// delegate's class.
        public var moduleName: String?
        /// Where sessions and their state are kept across launches; `nil` keeps them in
        /// memory only.
        public var stateFolder: URL?
        /// The engine's policy for all scenes. Geometry is told without delay whatever it
        /// says; it is about locks, and about rebuilds for `onDecision`.
        public var policy: Policy
        public var clock: Clock
        /// Window scenes connected at the same time.
        public var scenesMax: Int
        /// Gets each message of the system; by default they go to standard error.
        public var log: @Sendable (String) -> Void

        public init(
            platform: UIPlatform = .pad, infoPlist: URL? = nil, moduleName: String? = nil, stateFolder: URL? = nil,
            policy: Policy = Policy(settleDelay: .zero, quietDelay: .zero), clock: Clock = .virtual,
            scenesMax: Int = 1024, log: @escaping @Sendable (String) -> Void = Configuration.standardError
        ) {
            self.platform = platform
            self.infoPlist = infoPlist
            self.moduleName = moduleName
            self.stateFolder = stateFolder
            self.policy = policy
            self.clock = clock
            self.scenesMax = scenesMax
            self.log = log
        }

        public static let standardError: @Sendable (String) -> Void = { message in
            FileHandle.standardError.write(Data("\(message)\n".utf8))
        }
    }

    /// What the time is.
    public enum Clock: Hashable, Sendable {
        /// Time stands still but for `advance` and the times of events: for tests and
        /// replays, where the same calls give the same callbacks.
        case virtual
        /// The monotonic clock. The main queue must run, as it does in `UIApplicationMain`.
        case monotonic
    }

    /// - Throws: `UISystemError` when the platform or Info.plist cannot be used, `EngineError` when
    ///   the policy or `scenesMax` is out of range.
    public convenience init(_ configuration: Configuration = Configuration()) throws {
        try self.init(configuration, application: UIApplication())
    }

    init(_ configuration: Configuration, application: UIApplication) throws {
        try configuration.platform.check()
        self.configuration = configuration
        infoPlist = try Self.readInfoPlist(configuration.infoPlist)
        engine = try Engine(.init(policy: configuration.policy, scenesMax: configuration.scenesMax))
        indices = engine.indices
        let platform = configuration.platform
        self.application = application
        device = UIDevice(platform)
        screens = [
            UIScreen(
                size: platform.sceneScreenSize.turned(platform.orientation), scale: platform.screenScale,
                isExternal: false, orientation: platform.orientation)
        ]
        wakeUp = configuration.clock == .monotonic ? WakeUp() : nil
        // The one before may go away with this, and looks at `current` as it does.
        let previous = Self.current
        Self.current = self
        withExtendedLifetime(previous) {}
        wakeUp?.system = self
        infoPlist.warnings.forEach(log)
    }

    isolated deinit {
        for scene in connected.values { release(scene) }
    }

    public var mainScreen: UIScreen { screens[0] }

    /// The connected scenes, in no order.
    public var scenes: [UIScene] { sessions.compactMap(\.scene) }

    /// The connected window scenes, the oldest session's first.
    public var windowScenes: [UIWindowScene] { sessions.compactMap { $0.scene as? UIWindowScene } }

    /// Who the scene is in the engine: for events of one's own.
    public func identity(of scene: UIWindowScene) -> SceneID { scene.identity }

    /// The time, by the configuration's clock.
    public var now: Timestamp {
        configuration.clock == .virtual ? engine.now : max(engine.now, MonotonicClock.now)
    }

    /// What the engine has counted.
    public var statistics: Engine.Statistics { engine.statistics }

    func log(_ message: String) {
        messages.append(message)
        configuration.log(message)
    }

    func post(_ name: NSNotification.Name, _ object: Any?) {
        NotificationCenter.default.post(name: name, object: object)
    }
}

extension CGSize {
    /// An upright size as it is in an interface of the orientation.
    func turned(_ orientation: UIInterfaceOrientation) -> CGSize {
        let isWide = width > height
        return orientation.isLandscape && !isWide ? CGSize(width: height, height: width) : self
    }
}
