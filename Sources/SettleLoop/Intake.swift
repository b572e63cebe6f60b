@_spi(Faults) internal import Settle

/// What was sent, on its way into the engine. The live engine's lock guards it; it
/// holds that for a batch at a time, and never while a handler runs.
struct Intake: ~Copyable {
    var engine: Engine
    var sources: SourceList
    var posted: [Event] = []
    var listeners = Listeners()
    var passes: UInt64 = 0
    var sleeps: UInt64 = 0
    private var present: Present
    /// What was posted and is being submitted; kept for its memory.
    private var taken: [Event] = []
    private var merge = EventMerge()

    private let bounds: Bounds

    /// A pass is bounded, so that a producer cannot keep handlers waiting; a piece is
    /// small, so that a producer who waits for room has some soon.
    struct Bounds {
        var eventsPerPiece = 512
        var piecesPerPass = 32
    }

    /// - Parameter clock: The loop's; no event is taken as later than it.
    init(_ engine: consuming Engine, _ ready: ReadyList, bounds: Bounds, clock: @escaping () -> Timestamp) {
        self.engine = engine
        self.bounds = bounds
        sources = SourceList(ready)
        present = Present(clock)
    }

    var isEmpty: Bool { posted.isEmpty && sources.isEmpty }

    /// Something waits, or a producer is about to hand over what it held back before.
    var hasMore: Bool { !isEmpty || sources.holdMore }

    /// Events whose time was later than the clock and was taken as now.
    var clamped: UInt64 { present.clamped }

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
        present.note(now)
        takeEvents(&decided)
        // What the bound left behind is taken before a later deadline fires.
        engine.advance(to: Planted.waitingEventsPassed ? now : min(now, nextWaiting ?? now)) { decided.append($0) }
    }

    /// Submits what has been sent so far, up to the bound of a pass.
    mutating func takeEvents(_ decided: inout [Decision]) {
        sources.look()
        if posted.isEmpty, sources.active.count == 1 {
            take(sources.active[0], &decided)
        } else if !posted.isEmpty || !sources.active.isEmpty {
            takeMerged(&decided)
        }
    }

    /// An event earlier than the engine's time loses nothing by waiting longer, so others
    /// do not wait for it: a producer whose clock stands still holds nobody up.
    private func isLate(_ event: Event) -> Bool { event.at < engine.now }

    /// The time of the earliest event that waits and is not late already.
    private var nextWaiting: Timestamp? {
        mutating get {
            sources.takeListed()
            var next: Timestamp?
            func consider(_ event: Event?, _ now: Timestamp) {
                guard let event, event.at >= now else { return }
                let time = max(event.place, now)
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

    /// One source's events, straight from its ring's memory, and what it sends meanwhile.
    private mutating func take(_ source: SourceChannel, _ decided: inout [Decision]) {
        for _ in 0..<bounds.piecesPerPass {
            var events = piece(of: source)
            if events.isEmpty {
                // What another has sent may be earlier.
                guard !sources.hasListed, source.look() else { return }
                events = piece(of: source)
            }
            submit(events, &decided)
            source.pop(events.count)
        }
    }

    private mutating func piece(of source: SourceChannel) -> UnsafeBufferPointer<Event> {
        let events = UnsafeMutableBufferPointer(rebasing: source.peek().prefix(bounds.eventsPerPiece))
        if !Planted.futureTimeKept { present.clamp(events) }
        return UnsafeBufferPointer(events)
    }

    /// Several producers' events in the order of their times, as far as they were there
    /// when the pass looked. A piece that runs out is followed by the producer's next one
    /// before others go on.
    private mutating func takeMerged(_ decided: inout [Decision]) {
        swap(&posted, &taken)
        var takenPosts = taken.count
        taken.withUnsafeMutableBufferPointer { present.clamp($0) }
        taken.withUnsafeBufferPointer { posts in
            merge.add(posts, source: -1)
            for (index, source) in sources.active.enumerated() { merge.add(piece(of: source), source: index) }
            var left = bounds.eventsPerPiece * bounds.piecesPerPass
            while left > 0, let run = merge.takeRun() {
                submit(run, &decided)
                left -= run.count
                if let runOut = merge.runOut, !goOn(runOut.source, runOut.taken) { break }
            }
            // What was merged and no more: the rings go on filling meanwhile.
            merge.end { source, count in
                if source < 0 {
                    takenPosts = count
                } else if Planted.unmergedPopped {
                    sources.active[source].pop(sources.active[source].peek().count)
                } else {
                    sources.active[source].pop(count)
                }
            }
        }
        taken.removeFirst(Planted.leftPostsDropped ? taken.count : takenPosts)
        swap(&posted, &taken)
    }

    /// Follows up a piece that has run out; false when the pass ends here, as the same
    /// producer had more that the look did not find, and that may be earlier than the others'.
    private mutating func goOn(_ number: Int, _ taken: Int) -> Bool {
        if number < 0 {
            merge.drop()
            return true
        }
        let source = sources.active[number]
        source.pop(taken)
        let next = piece(of: source)
        if let first = next.first, !isLate(first) {
            merge.replace(with: next)
            return true
        }
        merge.drop()
        return Planted.earlierEventsPassed || !next.isEmpty || !source.isCut
    }

    private mutating func submit(_ events: UnsafeBufferPointer<Event>, _ decided: inout [Decision]) {
        engine.submit(Span(_unsafeElements: events)) { decided.append($0) }
        if listeners.hearEvents { listeners.hear(events, engine) }
    }
}
