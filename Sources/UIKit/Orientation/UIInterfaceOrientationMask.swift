/// A set of interface orientations. The raw values are Apple's.
public struct UIInterfaceOrientationMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    /// The set with those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The device is upright.
    public static let portrait = UIInterfaceOrientationMask(.portrait)
    /// The device is rotated to the right.
    public static let landscapeLeft = UIInterfaceOrientationMask(.landscapeLeft)
    /// The device is rotated to the left.
    public static let landscapeRight = UIInterfaceOrientationMask(.landscapeRight)
    /// The device is upside down.
    public static let portraitUpsideDown = UIInterfaceOrientationMask(.portraitUpsideDown)
    /// Both landscape orientations.
    public static let landscape: UIInterfaceOrientationMask = [.landscapeLeft, .landscapeRight]
    public static let all: UIInterfaceOrientationMask = [.portrait, .landscape, .portraitUpsideDown]
    /// All orientations except upside down.
    public static let allButUpsideDown: UIInterfaceOrientationMask = [.portrait, .landscape]

    /// The orientation alone; empty for unknown.
    init(_ orientation: UIInterfaceOrientation) {
        self.init(rawValue: orientation == .unknown ? 0 : 1 << UInt(orientation.rawValue))
    }

    func contains(_ orientation: UIInterfaceOrientation) -> Bool {
        orientation != .unknown && contains(UIInterfaceOrientationMask(orientation))
    }

    /// Of the set's orientations the first of some, else any; `nil` for the empty set.
    func first(of preferred: UIInterfaceOrientation...) -> UIInterfaceOrientation? {
        (preferred + [.portrait, .landscapeRight, .landscapeLeft, .portraitUpsideDown]).first(where: contains)
    }
}
