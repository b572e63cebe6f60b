import Settle

/// What goes to the program: the terminal's keys, and our reports of its size between them.
struct ProgramKeys: Sendable {
    /// What the program has not read yet.
    var queue = ByteQueue()
    private var filter = ReportFilter()
    /// The report to send once no key is under way; a later one replaces it.
    private var due: WindowSize?
    /// When the terminal sent something last.
    private var latest = Timestamp.zero

    /// How long a key's next byte may take, or a report's. An Escape alone waits so long while
    /// mode 2048 is on, less than a person notices.
    private static let keyPatience = Duration.milliseconds(15)
    /// How long the rest of a paste may take.
    private static let pastePatience = Duration.seconds(1)

    private var patience: Duration { filter.isPasting ? Self.pastePatience : Self.keyPatience }

    /// When `passTime` has work to do.
    var nextWake: Timestamp? {
        !filter.held.isEmpty || due != nil ? latest + patience : nil
    }

    /// Takes what the terminal has sent.
    ///
    /// - Parameter isFiltered: Whether the program has switched mode 2048 on.
    /// - Returns: The sizes that the terminal reported, which the program does not see.
    mutating func read(_ bytes: UnsafeRawBufferPointer, isFiltered: Bool, at now: Timestamp) -> [WindowSize] {
        latest = now
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

    /// Tells the program a size once no key is under way.
    mutating func report(_ size: WindowSize) {
        due = size
        sendDue()
    }

    /// The program has switched mode 2048 off.
    mutating func stopFiltering() {
        if due == nil, filter.held.isEmpty { return }
        filter.release(into: &queue.bytes)
        due = nil
    }

    /// Lets pass what has waited for long enough.
    mutating func passTime(at now: Timestamp) {
        guard let wake = nextWake, now >= wake else { return }
        filter.release(into: &queue.bytes)
        filter.endKey()
        sendDue()
    }

    private mutating func sendDue() {
        guard let size = due, filter.isBetweenKeys else { return }
        due = nil
        queue.bytes += size.report
    }
}
