import Settle

/// What goes to the program: the terminal's keys, and our reports of its size between them.
struct ProgramKeys: Sendable {
    /// What the program has not read yet.
    var queue = ByteQueue()
    private var filter = ReportFilter()
    /// The report to send at the next boundary of keys; a later one replaces it.
    private var due: WindowSize?
    /// When the terminal sent something last.
    private var latest = Timestamp.zero
    /// Whether nobody has read the terminal since: that it sent nothing meanwhile is not known.
    private var wasFull = false

    /// How long an Escape alone waits for its next byte while mode 2048 is on, less than a person
    /// notices. `ESC [` is a key, too: Alt and a bracket.
    private static let escapePatience = Duration.milliseconds(15)
    /// How long the rest of a report may take, or of another key, in which none of ours is inserted.
    private static let keyPatience = Duration.seconds(1)
    /// How long the rest of a paste may take.
    private static let pastePatience = Duration.seconds(30)

    /// How long what is held back may wait for its next byte.
    private var holding: Duration { filter.held.count <= 2 ? Self.escapePatience : Self.keyPatience }
    /// How long an unfinished key keeps a report of ours waiting.
    private var patience: Duration {
        if filter.isBetweenKeys { return .zero }
        return filter.isPasting ? Self.pastePatience : Self.keyPatience
    }

    /// When `passTime` has work to do.
    var nextWake: Timestamp? {
        if !filter.held.isEmpty { return queue.isFull ? nil : latest + holding }
        return due != nil && !queue.isFull ? latest + patience : nil
    }

    /// Takes what the terminal has sent.
    ///
    /// - Parameter isFiltered: Whether the program has switched mode 2048 on.
    /// - Returns: The sizes that the terminal reported, which the program does not see.
    mutating func read(_ bytes: UnsafeRawBufferPointer, isFiltered: Bool, at now: Timestamp) -> [WindowSize] {
        // What follows a long silence is no rest of a key, such as P after an Escape alone.
        if !wasFull, !filter.isPasting, now >= latest + Self.keyPatience { endKey() }
        latest = now
        defer { wasFull = queue.isFull }
        guard isFiltered else {
            stopFiltering()
            queue.bytes.append(contentsOf: bytes)
            return []
        }
        var reported: [WindowSize] = []
        filter.read(bytes, into: &queue.bytes) { reported.append($0) }
        sendDue()
        return reported
    }

    /// Sends the program a report of a size once no key and no paste is under way.
    mutating func report(_ size: WindowSize) {
        due = size
        sendDue()
    }

    /// The program has switched mode 2048 off.
    mutating func stopFiltering() {
        endKey()
        due = nil
    }

    /// Lets pass what has waited for long enough. To be called only when the terminal has been read
    /// and had nothing: what it cannot send because nobody reads it is no silence.
    mutating func passTime(at now: Timestamp) {
        if queue.isFull { return }
        if !filter.held.isEmpty, now >= latest + holding { filter.release(into: &queue.bytes) }
        if due != nil, filter.held.isEmpty, now >= latest + patience { filter.endKey() }
        sendDue()
    }

    private mutating func endKey() {
        filter.release(into: &queue.bytes)
        filter.endKey()
    }

    private mutating func sendDue() {
        guard let size = due, filter.isBetweenKeys, !queue.isFull else { return }
        due = nil
        queue.bytes += size.report
    }
}
