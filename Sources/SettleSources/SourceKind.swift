/// What a kind of source can know, what it needs, and how it is chosen. `settle sources` prints these;
/// the options of `settle watch` and `settle record` are made from them.
public struct SourceKind: Sendable {
    /// Where the times of a source's events come from.
    public enum TimeStamps: String, Sendable {
        /// The source reads CLOCK_MONOTONIC when an event arrives.
        case receipt
        /// The sender of an event states its time.
        case sender
    }

    /// What selects a source in `settle watch` and `settle record`.
    public enum Selection: Hashable, Sendable {
        /// By a flag, such as `--x11`, since it sees a desktop; for texts, what that is called, such as
        /// `X11 desktop`. Without a flag and a program, `watch` takes the first such kind.
        case flag(String, desktop: String)
        /// By a program after `--`, which the source runs. One kind has this.
        case command
    }

    /// An option with a value that is about one kind of source, such as the X display.
    public struct Parameter: Hashable, Sendable {
        /// The option's name, such as `display`; in `SourceArguments.values` as well.
        public let name: String
        /// What it is, in half a line of help.
        public let summary: String

        public init(name: String, summary: String) {
            self.name = name
            self.summary = summary
        }
    }

    /// The name in the `source` of a log's header, such as `x11`.
    public let name: String
    /// What is seen through it, in half a line.
    public let summary: String
    /// The unit of sizes in a log's header: `px`, `pt` or `cell`.
    public let unit: String
    /// Whether events state when an interactive resize begins and ends.
    public let hasResizingFlag: Bool
    /// Whether pointer buttons are seen, and what is not seen of them; `nil` if none are.
    public let pointer: String?
    /// Where times come from.
    public let timeStamps: TimeStamps
    /// What a scene's name is made of.
    public let names: String
    public let hasOrientation: Bool
    /// How it is chosen; `nil` for a source with a verb of its own.
    public let selection: Selection?
    /// What can be said about it by options.
    public let parameters: [Parameter]
    /// Debian's packages whose libraries it loads when it is used.
    public let packages: [String]
    /// Why it cannot be used on this system now, and what to do; `nil` if it can.
    public let problem: @Sendable () -> String?
    /// Opens a source of this kind. Throws if it cannot begin.
    public let open: @Sendable (SourceArguments) throws(SourceError) -> any GeometrySource

    /// A kind of source; see the properties.
    public init(
        name: String, summary: String, unit: String, hasResizingFlag: Bool, pointer: String?, timeStamps: TimeStamps,
        names: String, hasOrientation: Bool = false, selection: Selection? = nil, parameters: [Parameter] = [],
        packages: [String] = [],
        problem: @escaping @Sendable () -> String?,
        open: @escaping @Sendable (SourceArguments) throws(SourceError) -> any GeometrySource
    ) {
        self.name = name
        self.summary = summary
        self.unit = unit
        self.hasResizingFlag = hasResizingFlag
        self.pointer = pointer
        self.timeStamps = timeStamps
        self.names = names
        self.hasOrientation = hasOrientation
        self.selection = selection
        self.parameters = parameters
        self.packages = packages
        self.problem = problem
        self.open = open
    }
}

/// What a source is opened with. Each kind uses what it needs.
public struct SourceArguments: Hashable, Sendable {
    /// Values of the kind's parameters by name, such as `:0` for the X `display`.
    public var values: [String: String]
    /// The program to run, and its arguments.
    public var command: [String]
    /// Whether the process runs nothing besides the source, which may then become the parent of the
    /// programs that `command` leaves behind.
    public var ownsProcess: Bool

    public init(values: [String: String] = [:], command: [String] = [], ownsProcess: Bool = false) {
        self.values = values
        self.command = command
        self.ownsProcess = ownsProcess
    }
}
