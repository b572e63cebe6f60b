/// A transform of points: `x' = a·x + c·y + tx` and `y' = b·x + d·y + ty`. Foundation on Linux has none
/// of this name.
public struct CGAffineTransform: Hashable, Sendable {
    /// The first row's first number.
    public var a: CGFloat
    /// The first row's second number.
    public var b: CGFloat
    /// The second row's first number.
    public var c: CGFloat
    /// The second row's second number.
    public var d: CGFloat
    /// The distance along the horizontal axis.
    public var tx: CGFloat
    /// The distance along the vertical axis.
    public var ty: CGFloat

    /// A transform with these numbers.
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }

    init(_ cosine: CGFloat, _ sine: CGFloat) { self.init(a: cosine, b: sine, c: 0 - sine, d: cosine, tx: 0, ty: 0) }

    /// Changes nothing.
    public static let identity = CGAffineTransform(1, 0)

    /// Whether it changes nothing.
    public var isIdentity: Bool { self == .identity }
}
