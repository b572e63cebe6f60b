import SettleLog

/// A header of which only the clock and the unit are left, and those only if they are words that
/// the format defines: they are free text, which may contain anything.
struct AnonymousHeader {
    /// What is left.
    private(set) var header = LogHeader(clock: "unknown", unit: "unknown")
    /// The keys whose values are gone, as a log spells them.
    private(set) var dropped: [String] = []

    /// What is left of another header.
    init(_ original: LogHeader) {
        if ["monotonic", "realtime", "synthetic"].contains(original.clock) {
            header.clock = original.clock
        } else {
            dropped.append("clock")
        }
        if ["px", "pt", "cell"].contains(original.unit) {
            header.unit = original.unit
        } else {
            dropped.append("unit")
        }
        if original.source != header.source { dropped.append("source") }
        if original.name != header.name { dropped.append("name") }
        if original.policy != nil { dropped.append("policy") }
    }
}
