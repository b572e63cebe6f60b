public import Settle

extension UISystem {
    /// What the host chooses before the system starts.
    public struct Configuration {
        /// The device and operating system.
        public var platform: Platform
        /// The app's Info.plist; `nil` for none, as in an app without scenes.
        public var infoPlist: URL?
        /// The value of `$(PRODUCT_MODULE_NAME)` in the Info.plist; `nil` for the module of
        /// the app delegate's class.
        public var moduleName: String?
        /// The folder that keeps sessions and their state across launches; `nil` keeps them
        /// in memory only.
        public var stateFolder: URL?
        /// The engine's policy for all scenes. It delays orientation locks and rebuilds
        /// (see `onDecision`); geometry callbacks are never delayed. Nothing measures what an app builds in
        /// callbacks, so its `liveSharePercent` is ignored.
        public var policy: Policy
        /// Where the time comes from.
        public var clock: Clock
        /// The largest number of window scenes that are connected at the same time.
        public var scenesMax: Int
        /// The largest number of columns of split views that the engine decides for at the same
        /// time; `nil` for four times `scenesMax`. Scenes and columns together are at most
        /// `Engine.scenesLimit`: the columns are fewer if need be.
        public var columnsMax: Int?
        /// Gets each message of the system, on the main thread. The default writes it to
        /// standard error.
        public var log: @Sendable (String) -> Void

        /// A configuration; by default a pad in virtual time, without an Info.plist.
        public init(
            platform: Platform = .pad, infoPlist: URL? = nil, moduleName: String? = nil, stateFolder: URL? = nil,
            policy: Policy = Policy.immediate(lockDelay: .milliseconds(100)), clock: Clock = .virtual,
            scenesMax: Int = 1024, columnsMax: Int? = nil,
            log: @escaping @Sendable (String) -> Void = Configuration.standardError
        ) {
            self.platform = platform
            self.infoPlist = infoPlist
            self.moduleName = moduleName
            self.stateFolder = stateFolder
            self.policy = policy
            self.clock = clock
            self.scenesMax = scenesMax
            self.columnsMax = columnsMax
            self.log = log
        }

        /// The number of columns for which the engine is made; none if `scenesMax` is out of range.
        var columnsBound: Int {
            guard (1...Engine.scenesLimit).contains(scenesMax) else { return 0 }
            return min(max(0, columnsMax ?? 4 * scenesMax), Engine.scenesLimit - scenesMax)
        }

        /// Writes a message and a line break to standard error.
        public static let standardError: @Sendable (String) -> Void = { message in
            FileHandle.standardError.write(Data("\(message)\n".utf8))
        }
    }

    /// Where the system's time comes from.
    public enum Clock: Hashable, Sendable {
        /// Time advances only by `advance` and by the times of events, so that equal calls
        /// cause equal callbacks: for tests and replays.
        case virtual
        /// CLOCK_MONOTONIC. The main queue must run, as it does in `UIApplicationMain`.
        case monotonic
    }
}
