/// Appends the events of one log to a recorder: gives each of the log's scenes a name and a
/// number in the recording.
///
/// This is a change of numbers only. It does not know which scenes are connected, so the
/// recording has the same connections and faults as the log.
package struct RecordedNumbers {
    private let recorder: LogRecorder
    /// Put before each name in the recording.
    private let prefix: String
    /// The recording's number by the log's number.
    private var recorded: [SceneNumber] = []

    /// - Parameter prefix: Put before each name, for example `1:` for the first client.
    package init(_ recorder: LogRecorder, prefix: String = "") {
        self.recorder = recorder
        self.prefix = prefix
    }

    /// Replaces the numbers of a batch by the recording's, and appends it.
    ///
    /// - Parameter names: The names of the batch's scenes: each call passes the same object.
    /// - Throws: `.malformed` for a name longer than `SceneNames.nameLengthMax`; what
    ///   `LogRecorder.append` throws.
    package mutating func record(_ batch: EventBatch, names: SceneNames) throws(LogError) {
        for index in recorded.count..<names.count { try add(names[SceneNumber(index)]) }
        try append(batch)
    }

    /// Gives the log's next number a name.
    ///
    /// - Throws: `.malformed` for a name longer than `SceneNames.nameLengthMax`.
    package mutating func add(_ name: String) throws(LogError) {
        recorded.append(try recorder.scene(named: prefix + name))
    }

    /// Replaces the numbers of a batch, which all have names, by the recording's, and appends it.
    package func append(_ batch: EventBatch) throws(LogError) {
        for position in 0..<batch.count where batch[position].kind != .pointer {
            batch[position].name = recorded[batch[position].name.index]
        }
        try recorder.append(batch)
    }

    /// Frees the recording's names of this log. No more events follow.
    package func forget() { recorder.forget(recorded) }
}
