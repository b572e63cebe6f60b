import Settle
import SettleLog

/// What verbs that write a log's events anew have in common.
extension LogReader {
    /// Passes on a log's events up to its end or first fault, and shows the progress.
    ///
    /// - Parameter body: Called with each batch.
    /// - Returns: The number of events, and the fault at which reading ended.
    /// - Throws: What `body` throws, and `.io` when reading fails.
    func readToFault(_ body: (EventBatch) throws -> Void) throws -> (events: Int, fault: LogError?) {
        let batch = EventBatch()
        var progress = ReadProgress(self)
        var events = 0
        while true {
            do throws(LogError) {
                guard try read(into: batch) else { return (events, nil) }
            } catch {
                if case .io = error.kind { throw error }
                return (events, error)
            }
            try body(batch)
            events += batch.count
            progress.update(events: events)
        }
    }

    /// Prints the notes on a log that was read, and its fault.
    ///
    /// - Parameters:
    ///   - fault: The fault at which reading ended.
    ///   - events: The number of events before it.
    ///   - isWritten: Whether they are in the output.
    /// - Returns: The verb's exit status.
    func sayEnd(_ fault: LogError?, events: Int, isWritten: Bool) -> ExitCode {
        for note in notes { Terminal.say("settle: note: \(note)") }
        guard let fault else { return .fine }
        let before = "\(counted(events, "event")) before it"
        Terminal.say(
            "settle: \(fault); "
                + (isWritten
                    ? "\(before) \(events == 1 ? "is" : "are") written"
                    : "nothing is written; --partial writes the \(before)"))
        return Failure(fault).code
    }
}
