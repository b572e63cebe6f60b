import Settle
import SettleLog

/// Keeps of a log's events only what rebuilds depend on: their kinds, flags and order, which sizes of a scene are
/// equal, and between which events the default policy decides. Times and sizes are made anew of that, so logs that
/// have it in common become the same.
///
/// One engine decides about the log as it was, another about the log as it becomes: a new time is one by which the
/// second has decided as often as the first.
final class CoarseEvents {
    /// From one event to the next if nothing is decided meanwhile: less than all delays of the default policy but 0.
    static let frame = Duration.milliseconds(8)
    /// From one event to the next if something is decided after a delay: longer than any delay but the watchdog's, and
    /// than the time within which a rebuild is wasted.
    static let pause = Duration.milliseconds(1500)

    private var original: LogEngine
    private var written: LogEngine
    private var last: Timestamp?
    /// How many more decisions that deadlines make the first engine has made than the second.
    private var owed = (rebuilds: 0, others: 0)
    /// By the numbers of the scenes' names: a number for each size, in the order in which they occur.
    private var sizes: [[Size: Int]] = []

    init() throws(EngineError) {
        original = try Self.engine()
        written = try Self.engine()
    }

    private static func engine() throws(EngineError) -> LogEngine {
        try LogEngine(policy: .default, scenesMax: Engine.scenesLimit, decisionsMax: 4096)
    }

    /// What becomes of the log's next event.
    ///
    /// - Throws: `.tooManyScenes` if more scenes are connected than an engine has.
    func next(_ event: LogEvent) throws(EngineError) -> LogEvent {
        try original.submit(event) { decision, _ in count(decision, 1) }
        let at = nextTime()
        last = at
        let event = anonymous(event, at: at)
        try written.submit(event) { _, _ in }
        return event
    }

    /// The time of the next event, before which the second engine makes the decisions that it lacks.
    private func nextTime() -> Timestamp {
        guard let last else { return .zero }
        var reached = last
        while owed.rebuilds > 0 || owed.others > 0, let deadline = written.nextDeadline {
            reached = max(reached, deadline)
            written.advance(to: reached) { decision, _ in count(decision, -1) }
        }
        let at = reached > last ? max(reached, last + Self.pause) : last + Self.frame
        // Nothing more may be decided before it.
        guard let deadline = written.nextDeadline, deadline <= at else { return at }
        let left = deadline.nanoseconds - reached.nanoseconds
        return Timestamp(nanoseconds: reached.nanoseconds + (left - min(left, 1)) / 2)
    }

    /// Counts a decision if a deadline made it, and not the event itself.
    private func count(_ decision: Decision, _ number: Int) {
        switch decision.kind {
        case .rebuild: owed.rebuilds += number
        case .interactionBegan, .interactionEnded(.reported, _), .interactionEnded(.released, _),
            .interactionEnded(.disconnected, _):
            break
        default: owed.others += number
        }
    }

    private func anonymous(_ event: LogEvent, at time: Timestamp) -> LogEvent {
        switch event.kind {
        case .geometry:
            .geometry(
                event.name, at: time, size: event.size.map { anonymous($0, of: event.name) },
                isInteractivelyResizing: event.isInteractivelyResizing,
                isInterfaceOrientationLocked: event.isInterfaceOrientationLocked, orientation: event.orientation)
        case .connect: .connect(event.name, at: time)
        case .disconnect: .disconnect(event.name, at: time)
        case .pointer: .pointer(button: event.button, at: time, isPressed: event.isPressed)
        // How long a build took is the machine's.
        case .finished:
            .finished(event.name, at: time, generation: event.build?.generation ?? 0, cost: .milliseconds(1))
        case .previewed:
            .previewed(
                event.name, at: time, generation: event.work?.generation ?? 0, cost: .milliseconds(1),
                isKept: event.work?.isKept ?? true)
        }
    }

    /// The size in place of another of the same scene: the first is 400 × 300, and each further one is another, up to
    /// 65,536 of them.
    private func anonymous(_ size: Size, of scene: SceneNumber) -> Size {
        guard size.isValid else { return SizeStep.rejected }
        guard size.isStated else { return .zero }
        let scene = Int(scene.rawValue)
        while sizes.count <= scene { sizes.append([:]) }
        if sizes[scene].count == 1 << 16 { sizes[scene] = [:] }
        let number = sizes[scene][size] ?? sizes[scene].count
        sizes[scene][size] = number
        return Size(width: Double(400 + 8 * (number % 256)), height: Double(300 + 8 * (number / 256 % 256)))
    }
}
