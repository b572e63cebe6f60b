internal import Settle
internal import SettleLog

/// Writes a log and the decisions about it in the Trace Event Format of Chrome, as a JSON object.
///
/// A scene is a thread: its interactions are duration events ("B", "E"), lags complete events ("X"),
/// decisions and connections instants ("i"), and its size is a counter ("C"). A held pointer button is an
/// asynchronous span ("b", "e") of the thread 1. Times are microseconds from the log's first event,
/// with three decimals.
final class TraceWriter: LogWriting {
    private let output: ByteOutput
    private let steps: LogSteps
    private var trace: TraceText

    init(_ output: ByteOutput, _ input: LogExportInput) throws(LogError) {
        self.output = output
        steps = try input.steps()
        trace = TraceText(input)
    }

    func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        trace.scenes = scenes
        for index in 0..<batch.count {
            try steps.add(batch[index]) { trace.add($0) }
            try trace.text.write(to: output)
        }
    }

    func finish() throws(LogError) {
        steps.finish { trace.add($0) }
        trace.finish()
        try trace.text.write(to: output, all: true)
        try output.finish()
    }
}
