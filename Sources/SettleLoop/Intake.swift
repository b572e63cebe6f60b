internal import Settle

/// What was sent, on its way into the engine. The live engine's lock guards it; it
/// holds that for a batch at a time, and never while a handler runs.
struct Intake: ~Copyable {
    var engine: Engine
    var channels: [SourceChannel] = []
    var posted: [Event] = []
    var listeners = Listeners()
    var passes: UInt64 = 0
    var sleeps: UInt64 = 0
    /// Events merged by sources that are gone.
    private var conflatedBefore: UInt64 = 0
    /// What was posted or held back and is being submitted; kept for its memory.
    private var taken: [Event] = []
    private var pieces: [EventPiece] = []

    init(_ engine: consuming Engine) {
        self.engine = engine
    }

    /// A pass is bounded, so that a producer cannot keep handlers waiting; a piece is
    /// small, so that a producer who waits for room has some soon.
    private static let eventsPerPiece = 512
    private static let piecesPerPass = 32

    var isEmpty: Bool { posted.isEmpty && channels.allSatisfy(\.isEmpty) }

    var conflated: UInt64 { conflatedBefore + channels.reduce(0) { $0 + $1.conflated } }

    /// When to wake at the latest, though perhaps for nothing: under load every event
    /// postpones a deadline, and the exact one costs more than the events. Once the
    /// cheap bound has passed, the exact one is asked.
    mutating func wakeTime(after now: Timestamp) -> Timestamp? {
        guard let bound = engine.nextWake else { return nil }
        return bound > now ? bound : engine.nextDeadline
    }

    /// Submits what has been sent so far, up to the bound of a pass.
    mutating func takeEvents(_ decided: inout [Decision]) {
        if posted.isEmpty, channels.count == 1, !channels[0].isHolding {
            take(channels[0], &decided)
        } else {
            takeMerged(&decided)
        }
        channels.removeAll { channel in
            guard channel.isFinished else { return false }
            conflatedBefore += channel.conflated
            return true
        }
    }

    /// One source's ring, straight from its memory.
    private mutating func take(_ channel: SourceChannel, _ decided: inout [Decision]) {
        for _ in 0..<Self.piecesPerPass {
            let events = UnsafeBufferPointer(rebasing: channel.peek().prefix(Self.eventsPerPiece))
            if events.isEmpty { return }
            submit(events, &decided)
            channel.pop(events.count)
        }
    }

    /// Several producers' events in the order of their times, as far as they are there.
    private mutating func takeMerged(_ decided: inout [Decision]) {
        swap(&posted, &taken)
        taken.withUnsafeBufferPointer { post in
            pieces.append(EventPiece(post))
            for channel in channels {
                pieces.append(EventPiece(UnsafeBufferPointer(rebasing: channel.peek().prefix(Self.eventsPerPiece))))
            }
            while let run = EventPiece.nextRun(&pieces) { submit(run, &decided) }
            // What was merged and no more: the rings go on filling meanwhile.
            for (channel, piece) in zip(channels, pieces.dropFirst()) { channel.pop(piece.count) }
            pieces.removeAll(keepingCapacity: true)
        }
        taken.removeAll(keepingCapacity: true)
        for channel in channels { channel.takeHeldBack(into: &taken) }
        if taken.isEmpty { return }
        taken.withUnsafeBufferPointer { submit($0, &decided) }
        taken.removeAll(keepingCapacity: true)
    }

    private mutating func submit(_ events: UnsafeBufferPointer<Event>, _ decided: inout [Decision]) {
        engine.submit(Span(_unsafeElements: events)) { decided.append($0) }
        if listeners.hearEvents { listeners.hear(events) }
    }
}
