internal import Settle
internal import SettleLog

/// The policy that a client gets: its own, within the server's bounds, or else the server's.
struct ClientPolicy: Sendable {
    /// The policy of clients that ask for none.
    let server: Policy
    /// The longest duration in a client's policy, apart from those that are longer, or none, in
    /// the server's.
    let delayMaximum: Duration

    /// The policy for a client's log.
    ///
    /// - Throws: `.malformed` for a policy that exceeds the bounds; the problem names the key.
    func policy(for header: LogHeader) throws(LogError) -> Policy {
        guard let asked = header.policy else { return server }
        do throws(PolicyFault) {
            try asked.validate(upTo: delayMaximum, or: server)
            return asked
        } catch {
            throw LogError(.malformed, file: "the stream", "policy: \(error.name) \(error.problem)")
        }
    }
}
