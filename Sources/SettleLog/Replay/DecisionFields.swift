package import Settle

/// What a decision states, as logs and exports name it.
package struct DecisionFields {
    /// The kind, in the contract's words.
    package var kind: String
    package var size: Size?
    package var reason: String?
    package var isLocked: Bool?
    package var generation: UInt32?
    /// Whether it is a rebuild of a size that is prepared.
    package var isPrepared = false
    /// Whether it is a rebuild that the scene's own builds ask for.
    package var isFeedback = false
    package var coalescedEvents: UInt32?
    /// How long the interaction took that ended, or that came before the rebuild.
    package var interaction: Duration?

    package init(_ decision: Decision) {
        switch decision.kind {
        case .interactionBegan: kind = "interactionBegan"
        case .interactionEnded(let reason, let duration):
            kind = "interactionEnded"
            self.reason = reason.rawValue
            interaction = duration
        case .rebuild(let rebuild):
            kind = "rebuild"
            size = rebuild.size
            reason = rebuild.reason.rawValue
            generation = rebuild.generation
            isPrepared = rebuild.isPrepared
            isFeedback = rebuild.isFeedback
            coalescedEvents = rebuild.coalescedEvents
            interaction = rebuild.interactionDuration
        case .preview(let size, let generation):
            kind = "preview"
            self.size = size
            self.generation = generation
        case .lockChanged(let isLocked):
            kind = "lockChanged"
            self.isLocked = isLocked
        }
    }
}
