extension Turn {
    /// What runs.
    enum Phase: Equatable {
        /// Neither the host's calls nor the app's.
        case idle
        /// `advance`, between two of its turns.
        case advancing
        /// A turn: its outermost call, or what that has to deliver.
        case turn(Running)
    }

    struct Running: Equatable {
        /// The number of calls within the outermost one that have not returned.
        var calls = 0
        /// The turn is one of those of `advance`, which are one host call.
        let isOfAdvance: Bool
        var step = Step.delivering
    }

    enum Step: Equatable {
        /// The outermost call, then the callbacks for what it changed.
        case delivering
        /// What waits for the end of the turn: all that the app does is in its callbacks. In a
        /// transition the app has a coordinator whose completions have not run.
        case ending(inTransition: Bool)
    }

    /// What waits for the end of a turn: of the present one or, outside of any, of the next.
    enum Waiting {
        case nothing
        case work
        /// Work, and a transition whose coordinator was passed to the app.
        case transition
    }
}

extension Turn.Phase {
    var isInTurn: Bool { running != nil }
    var isInNestedCall: Bool { (running?.calls ?? 0) > 0 }
    var isEnding: Bool { running.map { $0.step != .delivering } ?? false }
    var isEndingTransition: Bool { running?.step == .ending(inTransition: true) }

    private var running: Turn.Running? {
        if case .turn(let running) = self { running } else { nil }
    }

    mutating func beginCall() {
        switch self {
        case .idle: self = .turn(Turn.Running(isOfAdvance: false))
        case .advancing: self = .turn(Turn.Running(isOfAdvance: true))
        case .turn(var running):
            running.calls += 1
            self = .turn(running)
        }
    }

    /// Ends a call within another one.
    ///
    /// - Returns: Whether it was one. The outermost call ends with its turn.
    mutating func endNestedCall() -> Bool {
        guard case .turn(var running) = self, running.calls > 0 else { return false }
        running.calls -= 1
        self = .turn(running)
        return true
    }

    mutating func endTurn() {
        if case .turn(let running) = self { self = running.isOfAdvance ? .advancing : .idle }
    }

    mutating func take(_ step: Turn.Step) {
        guard case .turn(var running) = self else { return }
        running.step = step
        self = .turn(running)
    }
}
