public import Settle

/// Metadata of a log: the first line of a JSON Lines log, the header of a binary one.
public struct LogHeader: Hashable, Sendable {
    /// The clock of the time stamps: `monotonic`, `realtime`, or `synthetic` for times that an
    /// importer generated.
    public var clock: String
    /// The unit of sizes: `px`, `pt`, or `cell` for a terminal.
    public var unit: String
    /// The source of the events, for example `wayland` or `x11`.
    public var source: String
    /// A name for people, often empty.
    public var name: String
    /// The policy that the log's sender asks `settle serve` for, `nil` for the server's. Nothing
    /// else reads it: a replay has the policy that it is given.
    public var policy: Policy?

    /// A header with the values of a live recording, unless arguments say otherwise.
    public init(
        clock: String = "monotonic", unit: String = "px", source: String = "unknown", name: String = "",
        policy: Policy? = nil
    ) {
        self.clock = clock
        self.unit = unit
        self.source = source
        self.name = name
        self.policy = policy
    }
}
