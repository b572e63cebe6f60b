public import Settle

extension UISystem {
    /// Submits one event, of a scene named by `identity(of:)` or of the pointer, and makes
    /// its callbacks.
    ///
    /// An event earlier than the system's time is applied at that time, and one that the
    /// engine rejects changes nothing (contract, rules 1 and 2). With the monotonic clock an
    /// event of the future is applied now, because one wrong time would otherwise move the
    /// time of all scenes.
    public func submit(_ event: Event) { submitUnclamped(timed.clamped(event)) }

    /// Submits events that belong together. Each scene gets at most one callback for them.
    public func submit(_ events: Span<Event>) {
        turn.hostCall {
            for index in events.indices {
                let event = timed.clamped(events[index])
                apply(event, to: engine.windowScene(event))
            }
        }
    }

    /// Submits one event at its own time, as a replay does whatever the clock is.
    func submitUnclamped(_ event: Event) {
        turn.hostCall { apply(event, to: engine.windowScene(event)) }
    }

    /// Applies an event to the scene that it names, as the sizing policy allows.
    func apply(_ event: Event, to scene: UIWindowScene?) {
        guard let scene else {
            engine.submit(event)
            return
        }
        switch event.kind {
        case .geometry: displays.apply(event, to: scene)
        case .disconnect where event.isValid:
            guard turn.phase.isInNestedCall else { return disconnect(scene, by: event) }
            // A callback submits it.
            try? turn.changeState { [unowned self] in disconnect(scene, by: event) }
        default: engine.submit(event)
        }
    }

    private func disconnect(_ scene: UIWindowScene, by event: Event) {
        // Deadlines before it fire while the scene is in its present state.
        engine.advance(to: event.at)
        if !hasEnded { try? connections.disconnectNow(scene, at: event.at) }
    }

    /// Advances virtual time to `moment`. Deadlines up to it fire at their own times, each
    /// with its callbacks. A moment before the present changes nothing.
    public func advance(to moment: Timestamp) { engine.advanceAsHost(to: moment) }

    /// Advances virtual time by a duration, at most to `Timestamp.latest`.
    public func advance(by duration: Duration) { advance(to: now.after(duration.wholeNanoseconds)) }

    /// Fires all deadlines at their own times: the end of virtual time. An app whose
    /// callbacks arm another deadline each time is stopped after some, which is logged.
    public func finish() {
        turn.runNextTurnWork()
        // A scene alone has at most four: an interaction's timeout, a preview, a rebuild, a lock.
        var left = 4 * statistics.scenes + UISystem.callbacksMax
        while let due = timed.core.nextDeadline {
            guard left > 0 else {
                return log(
                    "Virtual time ends at \(due.nanoseconds) ns: the app's callbacks arm another deadline each time.")
            }
            left -= 1
            advance(to: due)
        }
    }
}
