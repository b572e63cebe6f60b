internal import Settle

/// The engine of a live engine, and the events that wait for it: those of the sources and
/// those that were posted. The live engine's mutex guards it. It is locked for a batch at
/// a time, and never while a handler runs.
struct EngineInput: ~Copyable {
    var engine: Engine
    var sources: SourceList
    var posted: [Event] = []
    var subscribers = Subscribers()
    var passes: UInt64 = 0
    var sleeps: UInt64 = 0
    /// Whether `rejections` are collected, which submits events one by one.
    var collectsRejections = false
    private var rejections: [(Event, Rejection)] = []
    private var timeClamp: TimeClamp
    /// Posted events that are being submitted; kept for its memory.
    private var submitting: [Event] = []
    private var merge = EventMerge()

    private let bounds: Bounds

    /// A pass is bounded, so that a producer cannot keep handlers waiting. A piece is small,
    /// so that a producer that waits for space soon gets some.
    struct Bounds {
        var eventsPerPiece = 512
        var piecesPerPass = 32
    }

    /// - Parameter clock: The loop's; event times are clamped to it.
    init(_ engine: consuming Engine, _ ready: ReadyList, bounds: Bounds, clock: @escaping () -> Timestamp) {
        self.engine = engine
        self.bounds = bounds
        sources = SourceList(ready)
        timeClamp = TimeClamp(clock)
    }

    var isEmpty: Bool { posted.isEmpty && sources.isEmpty }

    /// Something waits, or a producer is about to offer events that it held back.
    var hasMore: Bool { !isEmpty || sources.holdMore }

    /// Events whose time was later than the clock and was clamped.
    var clamped: UInt64 { timeClamp.clamped }

    /// The latest time to wake at, perhaps for nothing: under load every event postpones a
    /// deadline, and computing the exact one costs more than the events. Once the cheap
    /// bound has passed, the exact one is computed.
    mutating func wakeTime(after now: Timestamp) -> Timestamp? {
        guard let bound = engine.nextWake else { return nil }
        return bound > now ? bound : engine.nextDeadline
    }

    /// Submits the events that were sent so far, up to the bound of a pass, and moves time
    /// to `now`, which must not be later than this call.
    mutating func pass(at now: Timestamp, _ decided: inout [Decision]) {
        passes += 1
        timeClamp.note(now)
        submitPending(&decided)
        // Events that the bound left behind come before a later deadline.
        engine.advance(to: min(now, nextWaiting ?? now)) { decided.append($0) }
    }

    /// Submits the events that were sent so far, up to the bound of a pass.
    mutating func submitPending(_ decided: inout [Decision]) {
        sources.look()
        if posted.isEmpty, sources.active.count == 1 {
            submit(from: sources.active[0], &decided)
        } else if !posted.isEmpty || !sources.active.isEmpty {
            submitMerged(&decided)
        }
    }

    /// An event earlier than the engine's time loses nothing by waiting longer, so others do
    /// not wait for it: a producer whose clock stands still delays nobody.
    private func isLate(_ event: Event) -> Bool { event.at < engine.now }

    /// The time of the earliest event that waits and is not late already.
    private var nextWaiting: Timestamp? {
        mutating get {
            sources.activateListed()
            var next: Timestamp?
            func consider(_ event: Event?, _ now: Timestamp) {
                guard let event, event.at >= now else { return }
                let time = max(event.mergeTime, now)
                next = next.map { min($0, time) } ?? time
            }
            let now = engine.now
            consider(posted.first, now)
            for source in sources.active {
                if source.peek().isEmpty { _ = source.look() }
                consider(source.peek().first, now)
            }
            return next
        }
    }

    /// Submits one source's events, straight from its ring's memory, and what it sends
    /// meanwhile.
    private mutating func submit(from source: SourceChannel, _ decided: inout [Decision]) {
        for _ in 0..<bounds.piecesPerPass {
            var events = piece(of: source)
            if events.isEmpty {
                // Another producer's events may be earlier.
                guard !sources.hasListed, source.look() else { return }
                events = piece(of: source)
            }
            submit(events, &decided)
            source.pop(events.count)
        }
    }

    private mutating func piece(of source: SourceChannel) -> UnsafeBufferPointer<Event> {
        let events = UnsafeMutableBufferPointer(rebasing: source.peek().prefix(bounds.eventsPerPiece))
        timeClamp.apply(to: events)
        return UnsafeBufferPointer(events)
    }

    /// Submits several producers' events in the order of their times, as far as they were
    /// there when the pass looked. A piece that runs out is followed by the producer's next
    /// one before others continue.
    private mutating func submitMerged(_ decided: inout [Decision]) {
        swap(&posted, &submitting)
        var postsDone = submitting.count
        submitting.withUnsafeMutableBufferPointer { timeClamp.apply(to: $0) }
        submitting.withUnsafeBufferPointer { posts in
            merge.add(posts, source: -1)
            for (index, source) in sources.active.enumerated() { merge.add(piece(of: source), source: index) }
            var left = bounds.eventsPerPiece * bounds.piecesPerPass
            while left > 0, let run = merge.nextRun() {
                submit(run, &decided)
                left -= run.count
                if let runOut = merge.runOut, !refill(runOut.source, runOut.done) { break }
            }
            // What was merged and no more: producers push further events meanwhile.
            merge.end { source, count in
                if source < 0 {
                    postsDone = count
                } else {
                    sources.active[source].pop(count)
                }
            }
        }
        submitting.removeFirst(postsDone)
        swap(&posted, &submitting)
    }

    /// Replaces a piece that has run out by the producer's next one. False when the pass ends
    /// here: the producer has more than the look found, perhaps earlier than the others'.
    private mutating func refill(_ number: Int, _ done: Int) -> Bool {
        if number < 0 {
            merge.drop()
            return true
        }
        let source = sources.active[number]
        source.pop(done)
        let next = piece(of: source)
        if let first = next.first, !isLate(first) {
            merge.replace(with: next)
            return true
        }
        merge.drop()
        return !next.isEmpty || !source.isCut
    }

    private mutating func submit(_ events: UnsafeBufferPointer<Event>, _ decided: inout [Decision]) {
        if collectsRejections {
            submitEach(events, &decided)
        } else {
            engine.submit(Span(_unsafeElements: events)) { decided.append($0) }
        }
        if subscribers.observeEvents { subscribers.observe(events, engine) }
    }

    private mutating func submitEach(_ events: UnsafeBufferPointer<Event>, _ decided: inout [Decision]) {
        for event in events {
            if let rejection = engine.submit(event, deliver: { decided.append($0) }) {
                rejections.append((event, rejection))
            }
        }
    }

    /// Returns and removes the rejections that were collected.
    mutating func drainRejections() -> [(Event, Rejection)] {
        if rejections.isEmpty { return [] }
        defer { rejections.removeAll() }
        return rejections
    }
}
