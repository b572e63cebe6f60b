/// What a log says about itself: the first line of a JSON Lines log, the metadata
/// of a binary one.
public struct LogHeader: Hashable, Sendable {
    /// The clock of the time stamps: `monotonic`, `realtime`, or `synthetic` when
    /// an importer had to make them up.
    public var clock: String
    /// The unit of sizes: `px`, `pt`, or `cell` for a terminal.
    public var unit: String
    /// Where the events came from, for example `wayland` or `x11`.
    public var source: String
    public var name: String

    public init(clock: String = "monotonic", unit: String = "px", source: String = "unknown", name: String = "") {
        self.clock = clock
        self.unit = unit
        self.source = source
        self.name = name
    }
}
