internal import Settle

/// The faults of a log as lines for people: the first of each kind, then the number of each kind
/// that has more.
package struct FindingLines {
    /// The most faults of a kind that have lines, unless all are wanted.
    package static let mostOfKind = 20

    private let mostOfKind: Int
    private var shown: [LogValidator.FaultKind: Int] = [:]

    private static let kinds: [(LogValidator.FaultKind, String)] = [
        (.unreadable, "cannot be read"), (.rejectedSize, "a size that is rejected"),
        (.disconnectedScene, "a disconnect without a connection"),
        (.rejectedEvent, "a pointer button or a time that is rejected"),
        (.timeGoesBack, "a time that goes back"), (.tooManyScenes, "a scene too many"),
    ]

    /// No fault yet.
    package init(mostOfKind: Int = Self.mostOfKind) { self.mostOfKind = mostOfKind }

    /// The line of a log's next fault, without a line break; `nil` if enough of its kind have one.
    package mutating func line(_ fault: LogError, _ kind: LogValidator.FaultKind) -> String? {
        if shown[kind, default: 0] >= mostOfKind { return nil }
        shown[kind, default: 0] += 1
        return fault.description.escaped
    }

    /// The lines that follow those of the faults.
    ///
    /// - Parameters:
    ///   - log: The log's name.
    ///   - result: What the log has.
    ///   - advice: Added where a kind has more faults than lines, for example what prints them.
    /// - Returns: No lines if every fault has one.
    package func totals(_ log: String, _ result: LogValidator.Result, advice: String) -> [String] {
        if result.faults == shown.values.reduce(0, +) { return [] }
        return Self.kinds.compactMap { kind, name in
            guard let count = result.faultsByKind[kind] else { return nil }
            let rest = count > mostOfKind ? ", the first \(mostOfKind) above\(advice)" : ""
            return "\(log.escaped): \(counted(count, "fault")): \(name)\(rest)"
        }
    }
}
