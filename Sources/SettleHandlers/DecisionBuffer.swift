internal import Settle

/// Undelivered decisions, in order. While there are fewer than `capacity`, each is kept.
/// Beyond that, a new decision supersedes an older one of its scene:
///
/// - a rebuild supersedes the undelivered rebuild: only the latest is worth building, and only
///   the report of its end counts (contract, rule 18);
/// - a lock value supersedes the undelivered lock value;
/// - an interaction's begin supersedes the undelivered interaction, begin and end together,
///   so begins and ends still alternate, and no rebuild but a live one is delivered within
///   an interaction;
/// - a preview, a rebuild, and the end of an interaction supersede the undelivered previews: one
///   is of use only while its size stands still. A begin supersedes those before such a decision.
///
/// A decision that supersedes nothing is kept as well, so no last state is lost. There are at
/// most `capacity` + 6 decisions per scene: a rebuild, a lock value, an end whose begin was
/// delivered, an interaction, and a preview.
struct DecisionBuffer: StreamBuffer {
    /// A scene's latest undelivered decision of each kind.
    private struct Latest: Sendable {
        var rebuild: LinkedQueue<Decision>.Index?
        var lock: LinkedQueue<Decision>.Index?
        var begin: LinkedQueue<Decision>.Index?
        /// The end of the interaction whose begin is `begin`.
        var end: LinkedQueue<Decision>.Index?
        /// The preview that is of use.
        var preview: LinkedQueue<Decision>.Index?
        /// Those before it, oldest first, which were kept while there was room.
        var stalePreviews: [LinkedQueue<Decision>.Index] = []

        var isEmpty: Bool {
            rebuild == nil && preview == nil && stalePreviews.isEmpty && lock == nil && begin == nil
        }
    }

    private let capacity: Int
    private var queue = LinkedQueue<Decision>()
    private var latest: [SceneID: Latest] = [:]
    private var counts = DecisionStream.Statistics()

    init(capacity: Int) {
        precondition(capacity >= 0, "capacity is \(capacity); it must not be negative")
        self.capacity = capacity
    }

    var statistics: DecisionStream.Statistics {
        var counts = counts
        counts.waiting = queue.count
        return counts
    }

    mutating func drop() { counts.dropped += 1 }

    mutating func append(_ decision: Decision) {
        if queue.count >= capacity { supersedeOlder(for: decision) }
        let index = queue.append(decision)
        var own = latest[decision.scene] ?? Latest()
        if decision.isAfterPreview, let stale = own.preview.take() { own.stalePreviews.append(stale) }
        switch decision.kind {
        case .rebuild: own.rebuild = index
        case .preview: own.preview = index
        case .lockChanged: own.lock = index
        case .interactionBegan: (own.begin, own.end) = (index, nil)
        case .interactionEnded: if own.begin != nil { own.end = index }
        }
        latest[decision.scene] = own.isEmpty ? nil : own
    }

    private mutating func supersedeOlder(for decision: Decision) {
        guard let own = latest[decision.scene] else { return }
        switch decision.kind {
        case .rebuild: supersede(own.rebuild)
        case .lockChanged: supersede(own.lock)
        case .interactionBegan where own.end != nil:
            supersede(own.begin)
            supersede(own.end)
        case .preview, .interactionBegan, .interactionEnded: break
        }
        if case .lockChanged = decision.kind { return }
        for preview in own.stalePreviews { supersede(preview) }
        latest[decision.scene]?.stalePreviews = []
        guard decision.isAfterPreview else { return }
        supersede(own.preview)
        latest[decision.scene]?.preview = nil
    }

    private mutating func supersede(_ index: LinkedQueue<Decision>.Index?) {
        guard let index else { return }
        queue.remove(at: index)
        counts.superseded += 1
    }

    mutating func dequeue(at now: Duration) -> Dequeued<Decision> {
        guard let index = queue.first else { return .nothing }
        let decision = queue.remove(at: index)
        counts.delivered += 1
        forget(index, of: decision.scene)
        return .element(decision)
    }

    private mutating func forget(_ index: LinkedQueue<Decision>.Index, of scene: SceneID) {
        guard var own = latest[scene] else { return }
        if own.rebuild == index { own.rebuild = nil }
        if own.preview == index { own.preview = nil }
        if own.stalePreviews.first == index { own.stalePreviews.removeFirst() }
        if own.lock == index { own.lock = nil }
        if own.begin == index { (own.begin, own.end) = (nil, nil) }
        latest[scene] = own.isEmpty ? nil : own
    }
}

extension Decision {
    /// Whether an undelivered preview of its scene is of no more use once this is decided.
    fileprivate var isAfterPreview: Bool {
        switch kind {
        case .lockChanged, .interactionBegan: false
        case .rebuild, .preview, .interactionEnded: true
        }
    }
}
