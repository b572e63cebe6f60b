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

    private let bounds: Bounds

    /// A pass is bounded, so that a producer cannot keep handlers waiting; a piece is
    /// small, so that a producer who waits for room has some soon.
    struct Bounds {
        var eventsPerPiece = 512
        var piecesPerPass = 32
    }

    init(_ engine: consuming Engine, bounds: Bounds) {
        self.engine = engine
        self.bounds = bounds
    }

    var isEmpty: Bool { posted.isEmpty && channels.allSatisfy(\.isEmpty) }

    var conflated: UInt64 { conflatedBefore + channels.reduce(0) { $0 + $1.conflated } }

    /// When to wake at the latest, though perhaps for nothing: under load every event
    /// postpones a deadline, and the exact one costs more than the events. Once the
    /// cheap bound has passed, the exact one is asked.
    mutating func wakeTime(after now: Timestamp) -> Timestamp? {
        guard let bound = engine.nextWake else { return nil }
        return bound > now ? bound : engine.nextDeadline
    }

    /// Submits what has been sent so far, up to the bound of a pass, and moves time to
    /// `now`, a moment before which all of it was sent.
    mutating func pass(at now: Timestamp, _ decided: inout [Decision]) {
        passes += 1
        takeEvents(&decided)
        // What the bound left behind is taken before a later deadline fires.
        engine.advance(to: min(now, nextWaiting ?? now)) { decided.append($0) }
    }

    /// Submits what has been sent so far, up to the bound of a pass.
    mutating func takeEvents(_ decided: inout [Decision]) {
        if posted.isEmpty, channels.count == 1 {
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

    /// An event earlier than the engine's time loses nothing by waiting longer, so others
    /// do not wait for it: a producer whose clock stands still holds nobody up.
    private func isLate(_ event: Event) -> Bool { event.at < engine.now }

    /// The time of the earliest event that waits and is not late already.
    private var nextWaiting: Timestamp? {
        var next: Timestamp?
        func consider(_ event: Event?) {
            guard let event, !isLate(event) else { return }
            let time = max(event.place, engine.now)
            next = next.map { min($0, time) } ?? time
        }
        consider(posted.first)
        for channel in channels { consider(channel.peek().first) }
        return next
    }

    /// One source's events, straight from its ring's memory.
    private mutating func take(_ channel: SourceChannel, _ decided: inout [Decision]) {
        for _ in 0..<bounds.piecesPerPass {
            let events = piece(of: channel)
            if events.isEmpty { return }
            submit(events, &decided)
            channel.pop(events.count)
        }
    }

    private func piece(of channel: SourceChannel) -> UnsafeBufferPointer<Event> {
        UnsafeBufferPointer(rebasing: channel.peek().prefix(bounds.eventsPerPiece))
    }

    /// Several producers' events in the order of their times, as far as they are there. A
    /// piece that runs out is followed by the producer's next one before others go on.
    private mutating func takeMerged(_ decided: inout [Decision]) {
        swap(&posted, &taken)
        var takenPosts = 0
        taken.withUnsafeBufferPointer { posts in
            pieces.append(EventPiece(posts))
            for channel in channels { pieces.append(EventPiece(piece(of: channel))) }
            var left = bounds.eventsPerPiece * bounds.piecesPerPass
            while left > 0, let run = EventPiece.nextRun(&pieces) {
                submit(run, &decided)
                left -= run.count
                if pieces.contains(where: \.hasRunOut) { refill() }
            }
            // What was merged and no more: the rings go on filling meanwhile.
            for (channel, piece) in zip(channels, pieces.dropFirst()) { channel.pop(piece.taken) }
            takenPosts = pieces[0].taken
            pieces.removeAll(keepingCapacity: true)
        }
        taken.removeFirst(takenPosts)
        swap(&posted, &taken)
    }

    private mutating func refill() {
        for (index, channel) in channels.enumerated() where pieces[index + 1].isEmpty {
            channel.pop(pieces[index + 1].taken)
            let next = piece(of: channel)
            let waits = next.first.map { isLate($0) } ?? true
            pieces[index + 1] = EventPiece(waits ? UnsafeBufferPointer(rebasing: next.prefix(0)) : next)
        }
    }

    private mutating func submit(_ events: UnsafeBufferPointer<Event>, _ decided: inout [Decision]) {
        engine.submit(Span(_unsafeElements: events)) { decided.append($0) }
        if listeners.hearEvents { listeners.hear(events) }
    }
}
