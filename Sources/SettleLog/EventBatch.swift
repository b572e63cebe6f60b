package import CSettle
public import Settle

/// A buffer of a log's events that a reader fills again and again. Use it from one thread at
/// a time.
///
/// The scenes of its events are numbers of names in the reader's `SceneNames`.
public final class EventBatch {
    /// The most events in a batch, at least as many as a chunk of a binary log can hold.
    public static let capacity = 1 << 16

    /// In the codec's form, which is the core's as well.
    private let storage: UnsafeMutablePointer<settle_event>
    public private(set) var count = 0
    /// The line or byte of each event; empty unless `recordsPositions`.
    public private(set) var positions: [LogPosition] = []
    /// Whether the batch keeps the events' positions.
    public let recordsPositions: Bool
    private let capacity: Int

    /// An empty batch of `capacity` events.
    ///
    /// - Parameter recordsPositions: Whether to keep each event's line or byte.
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

    /// Whether no event fits any more.
    public var isFull: Bool { count == capacity }

    /// The event at an index from 0 to `count` − 1.
    public subscript(index: Int) -> LogEvent {
        get {
            precondition(index >= 0 && index < count)
            return LogEvent(storage[index])
        }
        set {
            precondition(index >= 0 && index < count)
            storage[index] = newValue.raw
        }
    }

    /// The events' memory; valid until the batch changes.
    package var events: UnsafeMutableBufferPointer<settle_event> {
        UnsafeMutableBufferPointer(start: storage, count: count)
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - position: Its line or byte; evaluated only if `recordsPositions`.
    /// - Precondition: The batch is not full.
    public func append(_ event: LogEvent, at position: @autoclosure () -> LogPosition) {
        precondition(!isFull, "an event batch holds \(capacity) events")
        storage[count] = event.raw
        count += 1
        if recordsPositions { positions.append(position()) }
    }

    /// Adds an event that has no position, such as one of a live source.
    ///
    /// - Precondition: The batch is not full, and does not keep positions.
    public func append(_ event: LogEvent) {
        precondition(!recordsPositions, "an event batch that keeps positions needs one for each event")
        append(event, at: .line(0))
    }

    /// Moves the first events of an array to the batch, as many as fit.
    package func move(_ events: inout [LogEvent]) {
        let count = min(events.count, capacity - count)
        for event in events.prefix(count) { append(event) }
        events.removeFirst(count)
    }

    /// Lets `fill` write events after the present ones and return how many it wrote.
    func append(at position: LogPosition, _ fill: (UnsafeMutablePointer<settle_event>) -> Int) {
        let added = fill(storage + count)
        count += added
        if recordsPositions { positions.append(contentsOf: repeatElement(position, count: added)) }
    }

    /// Lets `fill` write events after the present ones, as many as fit, and return how many it
    /// wrote: one of each line from `firstLine` on.
    func appendLines(from firstLine: Int, _ fill: (UnsafeMutableBufferPointer<settle_event>) -> Int) {
        let added = fill(UnsafeMutableBufferPointer(start: storage + count, count: capacity - count))
        count += added
        if recordsPositions { positions += (firstLine..<firstLine + added).map(LogPosition.line) }
    }

    /// Removes pointer events, and from geometry events whether the scene is being resized.
    func remove(_ signals: LogSignals) {
        var kept = 0
        for index in 0..<count {
            if signals.contains(.pointer), storage[index].kind == SETTLE_POINTER.rawValue { continue }
            storage[kept] = storage[index]
            if signals.contains(.flags), storage[kept].kind == SETTLE_GEOMETRY.rawValue {
                storage[kept].flags &= ~UInt16(SETTLE_RESIZING_KNOWN.rawValue | SETTLE_RESIZING.rawValue)
            }
            if recordsPositions { positions[kept] = positions[index] }
            kept += 1
        }
        count = kept
        if recordsPositions { positions.removeSubrange(kept...) }
    }

    public func removeAll() {
        count = 0
        positions.removeAll(keepingCapacity: true)
    }
}
