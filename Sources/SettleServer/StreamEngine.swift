internal import CPlatform
internal import Settle
internal import SettleLog

/// One stream's own engine: no other stream's buttons, times, limits or end can touch its
/// decisions. It lives on the thread that reads the stream.
final class StreamEngine: StreamSink {
    typealias Clock = @Sendable () -> Timestamp

    private var engine: Engine
    private let clock: Clock
    private let handler: (Decision, String) -> Void
    private var names = SceneNames()
    /// Each of the stream's scenes in the engine; `nil` while it is not connected.
    private var scenes: [SceneID?] = []
    /// The stream's scene in each of the engine's rooms.
    private var numbers: [SceneID] = []

    /// - Parameter handler: Gets every decision with its scene's name, on the thread that
    ///   reads the stream.
    init(policy: Policy, clock: @escaping Clock, handler: @escaping (Decision, String) -> Void) throws(EngineError) {
        // The decisions are taken as they are made, so few wait in the engine.
        engine = try Engine(.init(policy: policy, scenesMax: StreamReader.scenesMax, decisionsMax: 64, policiesMax: 1))
        self.clock = clock
        self.handler = handler
    }

    func take(_ batch: EventBatch, _ names: SceneNames) throws(LogError) {
        self.names = names
        if scenes.count < names.count {
            scenes.append(contentsOf: repeatElement(nil, count: names.count - scenes.count))
        }
        var start = 0
        for position in 0..<batch.count where batch[position].kind != .pointer {
            let number = batch[position].scene
            batch[position].scene = try scene(number, isConnecting: batch[position].kind != .disconnect)
            guard batch[position].kind == .disconnect else { continue }
            // Applied before the next scene is connected, so that its room is free again.
            submit(batch, start..<position + 1)
            start = position + 1
            scenes[Int(number.rawValue)] = nil
        }
        submit(batch, start..<batch.count)
    }

    /// The contract's log rule: an event of an unknown or disconnected scene connects it
    /// anew. The disconnect of one is rejected by the handle that it gets here.
    private func scene(_ number: SceneID, isConnecting: Bool) throws(LogError) -> SceneID {
        if let known = scenes[Int(number.rawValue)] { return known }
        guard isConnecting else { return SceneID(rawValue: 0) }
        do {
            let scene = try engine.connect()
            let room = engine.indices[scene]
            if room >= numbers.count {
                numbers.append(contentsOf: repeatElement(number, count: room + 1 - numbers.count))
            }
            numbers[room] = number
            scenes[Int(number.rawValue)] = scene
            return scene
        } catch {
            throw LogError(.malformed, file: names[number], "\(error)")
        }
    }

    private func submit(_ batch: EventBatch, _ range: Range<Int>) {
        let indices = engine.indices
        batch.withEvents { events in
            engine.submit(events.extracting(range)) { deliver($0, indices) }
        }
    }

    private func deliver(_ decision: Decision, _ indices: Engine.SceneIndices) {
        handler(decision, names[numbers[indices[decision.scene]]])
    }

    /// Fires deadlines at their times for as long as the stream is silent. The engine's
    /// time stays that of the last event or deadline: an event that comes later than its
    /// stamp keeps it, unless a deadline behind the stamp has passed.
    func wait(for descriptor: Int32) {
        let indices = engine.indices
        while let deadline = engine.nextDeadline {
            // Sampled first: what was sent before this moment is taken before a deadline
            // at it fires.
            let now = clock()
            if settle_is_readable(descriptor, 0) != 0 { return }
            if deadline <= now {
                engine.advance(to: deadline) { deliver($0, indices) }
                continue
            }
            let rest = Int64(clamping: deadline.nanoseconds) - Int64(clamping: clock().nanoseconds)
            if rest > 0, settle_is_readable(descriptor, rest) != 0 { return }
        }
    }
}
