/// Distances from the sides of a rectangle inwards, in points.
public struct UIEdgeInsets: Hashable, Sendable {
    /// From the top downwards.
    public var top: CGFloat
    /// From the left side to the right.
    public var left: CGFloat
    /// From the bottom upwards.
    public var bottom: CGFloat
    /// From the right side to the left.
    public var right: CGFloat

    /// All distances zero.
    public init() { self.init(top: 0, left: 0, bottom: 0, right: 0) }

    /// Distances in points.
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// All distances zero.
    public static let zero = UIEdgeInsets()
}
