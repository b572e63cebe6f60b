public import Settle

/// A decision about a client's scene.
public struct StreamDecision: Hashable, Sendable {
    /// As in `StreamReport`.
    public var client: Int
    /// The scene as the client calls it.
    public var scene: String
    /// Its `scene` is the handle in the client's own engine: another client's scene may
    /// have the same.
    public var decision: Decision

    /// A name that no other client's scene has: `1:main` for the scene `main` of client 1.
    public var name: String { "\(client):\(scene)" }
}
