public import Settle

/// Writes decisions as the contract's JSON Lines.
public final class DecisionWriter {
    private let output: ByteOutput
    private let takesReports: Bool

    /// A writer into an output, which `finish` completes.
    ///
    /// - Parameters:
    ///   - output: Where the lines go.
    ///   - policy: The policy that decides. Where it takes reports of builds, a rebuild and a preview
    ///     have their generation, which the report of its end names.
    public init(_ output: ByteOutput, policy: Policy) {
        self.output = output
        takesReports = policy.takesReports
    }

    /// Appends a decision as one line.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - scene: The name of its scene.
    ///   - takesReports: Whether the policy that decided takes reports of builds, if it is not the writer's.
    /// - Throws: `.io` when writing fails.
    public func write(_ decision: Decision, scene: String, takesReports: Bool? = nil) throws(LogError) {
        try output.write(Self.line(decision, scene: scene, takesReports: takesReports ?? self.takesReports) + "\n")
    }

    /// Passes buffered lines to the system, so that a reader sees them now.
    public func flush() throws(LogError) { try output.flush() }

    /// Completes the output and gives a file its name.
    public func finish() throws(LogError) { try output.finish() }

    static func line(_ decision: Decision, scene: String, takesReports: Bool = false) -> String {
        let fields = DecisionFields(decision)
        var line =
            #"{"t_ns":\#(decision.at.nanoseconds),"scene":\#(JSONText.quoted(scene)),"kind":"\#(fields.kind)""#
        if let size = fields.size {
            line += #","width":\#(JSONText.length(size.width)),"height":\#(JSONText.length(size.height))"#
        }
        if let reason = fields.reason { line += #","reason":"\#(reason)""# }
        if takesReports, let generation = fields.generation { line += #","generation":\#(generation)"# }
        if fields.isPrepared { line += #","prepared":true"# }
        if fields.isFeedback { line += #","feedback":true"# }
        if let isLocked = fields.isLocked { line += #","locked":\#(isLocked)"# }
        return line + "}"
    }
}
