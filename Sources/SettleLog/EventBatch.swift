/// Events on their way out of a log: a buffer that a reader fills again and again.
///
/// The scenes of its events are numbers of names in the reader's `SceneNames`.
public final class EventBatch {
    /// Events that fit, at least as many as a chunk of a binary log can hold.
    public static let capacity = 1 << 16

    let storage: UnsafeMutablePointer<LogEvent>
    public private(set) var count = 0
    /// Where each event stands in its log; filled only when `recordsPositions`.
    public private(set) var positions: [LogPosition] = []
    public let recordsPositions: Bool
    private let capacity: Int

    public convenience init(recordsPositions: Bool = false) {
        self.init(capacity: Self.capacity, recordsPositions: recordsPositions)
    }

    /// A batch for a live stream, whose chunks are smaller.
    package static func forStream() -> EventBatch {
        EventBatch(capacity: StreamLimits.chunkEvents, recordsPositions: false)
    }

    private init(capacity: Int, recordsPositions: Bool) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
        self.recordsPositions = recordsPositions
    }

    deinit { storage.deallocate() }

    public var isFull: Bool { count == capacity }

    public subscript(index: Int) -> LogEvent {
        get {
            precondition(index >= 0 && index < count)
            return storage[index]
        }
        set {
            precondition(index >= 0 && index < count)
            storage[index] = newValue
        }
    }

    /// Calls `body` with the events. The batch must not change meanwhile.
    public func withEvents<Result, Failure: Error>(
        _ body: (Span<LogEvent>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(Span(_unsafeStart: UnsafePointer(storage), count: count))
    }

    public func append(_ event: LogEvent, at position: @autoclosure () -> LogPosition) {
        precondition(!isFull, "an event batch holds \(capacity) events")
        storage[count] = event
        count += 1
        if recordsPositions { positions.append(position()) }
    }

    /// Lets `fill` write whole events behind the present ones and say how many.
    func append(at position: LogPosition, _ fill: (UnsafeMutablePointer<LogEvent>) -> Int) {
        let added = fill(storage + count)
        count += added
        if recordsPositions { positions.append(contentsOf: repeatElement(position, count: added)) }
    }

    public func removeAll() {
        count = 0
        positions.removeAll(keepingCapacity: true)
    }
}
