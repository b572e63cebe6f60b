import Settle
import SettleLog

/// What was changed in a log, and what was not.
struct AnonymizeSummary {
    var events = 0
    var names = 0
    /// The events that state a size, those whose size is another now, and those whose size engines
    /// reject.
    var (sizes, sizesChanged, sizesRejected) = (0, 0, 0)
    /// How much smaller the times are.
    var shift = Duration.zero
    /// Whether some times were 0, which stay.
    var hasZero = false
    /// The header keys whose values are gone.
    var dropped: [String] = []

    /// The lines to print.
    ///
    /// - Parameters:
    ///   - output: The output's name.
    ///   - form: What is left of sizes and times.
    ///   - hasKeyFile: Whether other logs may have been anonymized with the same key.
    func lines(_ output: String, form: AnonymousForm, hasKeyFile: Bool) -> [String] {
        let rejected = sizesRejected == 0 ? "" : ", \(grouped(sizesRejected)) that engines reject replaced by −1×−1"
        return [
            "settle: \(output): \(counted(events, "event")), anonymized",
            "  names    \(counted(names, "scene")) renamed; "
                + (hasKeyFile ? "the same key gives the same names" : "the key is forgotten"),
        ] + lines(of: form, rejected) + [
            "  header   \(dropped.isEmpty ? "nothing" : dropped.joined(separator: ", ")) dropped",
            "  What stays recognisable:",
        ] + Self.remaining(form).map { "  - " + $0 } + (hasKeyFile ? Self.remainingWithKey.map { "  - " + $0 } : [])
    }

    private func lines(of form: AnonymousForm, _ rejected: String) -> [String] {
        switch form {
        case .rounded(let step):
            [
                "  sizes    \(grouped(sizesChanged)) of \(grouped(sizes)) rounded to a multiple of"
                    + " \(Int(step.length))\(rejected)",
                "  times    \(shift.text) earlier\(hasZero && shift > .zero ? ", but for those of 0" : "")",
            ]
        case .coarse:
            [
                "  sizes    \(grouped(sizes)) made anew\(rejected)",
                "  times    made anew: \(CoarseEvents.frame.text), or \(CoarseEvents.pause.text) or more where the"
                    + " default policy decides after a delay",
            ]
        }
    }

    private static func remaining(_ form: AnonymousForm) -> [String] {
        if case .coarse = form { remainingOfCoarse } else { remaining }
    }

    /// What is left of a log with rounded sizes.
    static let remaining = [
        "how many scenes there are, and when each connects, changes and disconnects",
        "the rhythm of the events: it may identify a hand, a mouse or a program",
        "sizes but for the rounding: a screen's or a character cell's identifies hardware",
        "resize flags, orientations, locks, buttons, and the order of the events",
    ]

    /// What is left of a coarse log.
    static let remainingOfCoarse = [
        "how many scenes and events there are, and in which order",
        "resize flags, orientations, locks and buttons",
        "which sizes of a scene are equal, and where the default policy decides",
    ]

    /// What a key file adds to that.
    static let remainingWithKey = [
        "the same scene in every log that is anonymized with this key",
        "a name, to whoever has the key and guesses it",
    ]
}
