public import Settle

/// Writes decisions as the contract's JSON Lines.
public final class DecisionWriter {
    private let output: ByteOutput

    public init(_ output: ByteOutput) {
        self.output = output
    }

    public func write(_ decision: Decision, scene: String) throws(LogError) {
        try output.write(Self.line(decision, scene: scene) + "\n")
    }

    /// Hands what was written to the system, so that a reader sees it now.
    public func flush() throws(LogError) { try output.flush() }

    public func finish() throws(LogError) { try output.finish() }

    static func line(_ decision: Decision, scene: String) -> String {
        let start = #"{"t_ns":\#(decision.at.nanoseconds),"scene":\#(JSONText.quoted(scene)),"kind":"#
        switch decision.kind {
        case .interactionBegan:
            return start + #""interactionBegan"}"#
        case .interactionEnded(let reason, _):
            return start + #""interactionEnded","reason":"\#(reason.rawValue)"}"#
        case .rebuild(let rebuild):
            let (width, height) = (JSONText.length(rebuild.size.width), JSONText.length(rebuild.size.height))
            return start + #""rebuild","width":\#(width),"height":\#(height),"reason":"\#(rebuild.reason.rawValue)"}"#
        case .lockChanged(let isLocked):
            return start + #""lockChanged","locked":\#(isLocked)}"#
        }
    }
}
