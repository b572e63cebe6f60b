@_spi(Faults) internal import Settle

/// Undelivered decisions, in order. While there are fewer than `capacity`, each is
/// kept. Beyond that a new one takes the place of what it makes pointless:
///
/// - a rebuild, of the scene's undelivered rebuild: only the latest is worth building;
/// - a lock value, of the scene's undelivered lock value;
/// - an interaction's begin, of the scene's undelivered interaction, begin and end
///   together, so that begins and ends go on alternating and no rebuild comes to
///   stand inside an interaction.
///
/// What makes nothing pointless is kept as well, so no last state is ever lost, and
/// there are at most `capacity` + 5 decisions for each scene: a rebuild, a lock value,
/// an end whose begin was delivered, and an interaction.
struct DecisionBuffer: HandoffBuffer {
    /// Where a scene's latest undelivered decision of each kind stands.
    private struct Latest: Sendable {
        var rebuild: Chain<Decision>.Place?
        var lock: Chain<Decision>.Place?
        var begin: Chain<Decision>.Place?
        /// The end of the interaction whose begin is `begin`.
        var end: Chain<Decision>.Place?

        var isEmpty: Bool { rebuild == nil && lock == nil && begin == nil }
    }

    private let capacity: Int
    private var line = Chain<Decision>()
    private var latest: [SceneID: Latest] = [:]
    private var counts = DecisionStream.Statistics()

    init(capacity: Int) {
        precondition(capacity >= 0, "capacity is \(capacity); it must not be negative")
        self.capacity = capacity
    }

    var statistics: DecisionStream.Statistics {
        var counts = counts
        counts.waiting = line.count
        return counts
    }

    mutating func drop() { counts.dropped += 1 }

    mutating func append(_ decision: Decision) {
        if line.count >= capacity { makeRoom(for: decision) }
        let place = line.append(decision)
        var own = latest[decision.scene] ?? Latest()
        switch decision.kind {
        case .rebuild: own.rebuild = place
        case .lockChanged: own.lock = place
        case .interactionBegan: (own.begin, own.end) = (place, nil)
        case .interactionEnded: if own.begin != nil { own.end = place }
        }
        latest[decision.scene] = own.isEmpty ? nil : own
    }

    private mutating func makeRoom(for decision: Decision) {
        guard let own = latest[decision.scene] else { return }
        switch decision.kind {
        case .rebuild: supersede(own.rebuild)
        case .lockChanged: supersede(own.lock)
        case .interactionBegan where own.end != nil:
            supersede(own.begin)
            if !Planted.beginSupersededAlone { supersede(own.end) }
        case .interactionBegan, .interactionEnded: break
        }
    }

    private mutating func supersede(_ place: Chain<Decision>.Place?) {
        guard let place else { return }
        line.remove(place)
        counts.superseded += 1
    }

    mutating func take(at now: Duration) -> Handout<Decision> {
        guard let place = line.first else { return .nothing }
        let decision = line.remove(place)
        counts.delivered += 1
        forget(place, of: decision.scene)
        return .element(decision)
    }

    private mutating func forget(_ place: Chain<Decision>.Place, of scene: SceneID) {
        guard var own = latest[scene] else { return }
        if own.rebuild == place { own.rebuild = nil }
        if own.lock == place { own.lock = nil }
        if own.begin == place { (own.begin, own.end) = (nil, nil) }
        latest[scene] = own.isEmpty ? nil : own
    }
}
