public import Settle

/// Events on their way out of a log: a buffer that a reader fills again and again.
///
/// In a batch an event's `scene` is the number of its name in the reader's
/// `SceneNames`, not yet an engine's `SceneID`.
public final class EventBatch {
    /// Events that fit, at least as many as a chunk of a binary log can hold.
    public static let capacity = 1 << 16

    let storage: UnsafeMutablePointer<Event>
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

    public subscript(index: Int) -> Event {
        get {
            precondition(index >= 0 && index < count)
            return storage[index]
        }
        set {
            precondition(index >= 0 && index < count)
            storage[index] = newValue
        }
    }

    /// The events; not to be used while the batch changes.
    public func withEvents<Result, Failure: Error>(
        _ body: (Span<Event>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(Span(_unsafeStart: UnsafePointer(storage), count: count))
    }

    public func append(_ event: Event, at position: @autoclosure () -> LogPosition) {
        precondition(!isFull, "an event batch holds \(capacity) events")
        storage[count] = event
        count += 1
        if recordsPositions { positions.append(position()) }
    }

    /// Lets `fill` write whole events behind the present ones and say how many.
    func append(at position: LogPosition, _ fill: (UnsafeMutablePointer<Event>) -> Int) {
        let added = fill(storage + count)
        count += added
        if recordsPositions { positions.append(contentsOf: repeatElement(position, count: added)) }
    }

    public func removeAll() {
        count = 0
        positions.removeAll(keepingCapacity: true)
    }

    /// Keeps the events from `first` to `last` and drops the others.
    func keep(_ isKept: (Event) -> Bool) {
        var kept = 0
        for index in 0..<count where isKept(storage[index]) {
            storage[kept] = storage[index]
            if recordsPositions { positions[kept] = positions[index] }
            kept += 1
        }
        if recordsPositions { positions.removeLast(count - kept) }
        count = kept
    }
}
