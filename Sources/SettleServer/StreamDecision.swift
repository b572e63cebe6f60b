public import Settle

/// A decision about a client's scene.
public struct StreamDecision: Hashable, Sendable {
    /// The client's number, as in `StreamReport`.
    public var client: Int
    /// The name that the client uses for the scene.
    public var scene: String
    /// The decision. Its `scene` is a handle of the client's own engine: another client's
    /// scene may have the same.
    public var decision: Decision
    /// Whether the client's policy takes reports of builds (`Policy.takesReports`).
    public var takesReports = false

    /// A name that is unique among all clients: `1:main` for the scene `main` of client 1.
    public var name: String { "\(client):\(scene)" }
}
