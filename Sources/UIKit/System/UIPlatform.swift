/// The device and system that the host pretends to be.
public struct UIPlatform: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case phone, pad, mac, vision
    }

    public var kind: Kind
    /// The main screen, in points, upright.
    public var screenSize: CGSize
    /// Pixels per point.
    public var screenScale: CGFloat
    /// The interface's orientation at launch; unknown where nothing rotates.
    public var orientation: UIInterfaceOrientation
    public var osVersion: UIVersion
    /// The SDK that the app was built with.
    public var linkedSDK: UIVersion
    /// The first SDK that knows the main screen's size.
    public var screenIntroduced: UIVersion
    /// The screen that the system gives to apps whose SDK does not know the main screen,
    /// in points, upright.
    public var compatibleScreenSize: CGSize
    /// Whether scenes are windows whose size varies. Never on a phone.
    public var isWindowed: Bool {
        get { varies && kind != .phone }
        set { varies = newValue }
    }
    private var varies: Bool
    /// Whether an external display extends the device's own rather than repeat it.
    public var extendsDisplays: Bool

    public init(
        kind: Kind, screenSize: CGSize, screenScale: CGFloat = 2, orientation: UIInterfaceOrientation = .portrait,
        osVersion: UIVersion = 26, linkedSDK: UIVersion = 26, screenIntroduced: UIVersion = 0,
        compatibleScreenSize: CGSize = CGSize(width: 375, height: 667), isWindowed: Bool = true,
        extendsDisplays: Bool = false
    ) {
        self.kind = kind
        self.screenSize = screenSize
        self.screenScale = screenScale
        self.orientation = orientation
        self.osVersion = osVersion
        self.linkedSDK = linkedSDK
        self.screenIntroduced = screenIntroduced
        self.compatibleScreenSize = compatibleScreenSize
        varies = isWindowed
        self.extendsDisplays = extendsDisplays
    }

    public static let phone = UIPlatform(
        kind: .phone, screenSize: CGSize(width: 402, height: 874), screenScale: 3, isWindowed: false)
    public static let pad = UIPlatform(
        kind: .pad, screenSize: CGSize(width: 1024, height: 1366),
        compatibleScreenSize: CGSize(width: 768, height: 1024))
    public static let mac = UIPlatform(
        kind: .mac, screenSize: CGSize(width: 1512, height: 982), orientation: .unknown,
        compatibleScreenSize: CGSize(width: 1512, height: 982), extendsDisplays: true)
    public static let vision = UIPlatform(
        kind: .vision, screenSize: CGSize(width: 1280, height: 720), orientation: .unknown,
        compatibleScreenSize: CGSize(width: 1280, height: 720))

    public init(_ kind: Kind) {
        switch kind {
        case .phone: self = .phone
        case .pad: self = .pad
        case .mac: self = .mac
        case .vision: self = .vision
        }
    }

    /// Whether the system shows the app on an older screen, scaled: apps built with an
    /// SDK before 26 that does not know the screen.
    var isLetterboxed: Bool { linkedSDK < 26 && linkedSDK < screenIntroduced }

    /// Throws for what no screen is: a side or scale that is not finite or not positive.
    func check() throws(UISystemError) {
        func check(_ name: String, _ values: CGFloat...) throws(UISystemError) {
            guard let fault = values.first(where: { !$0.isLength }) else { return }
            throw .platform(name: name, value: "\(fault)")
        }
        try check("screenSize", screenSize.width, screenSize.height)
        try check("compatibleScreenSize", compatibleScreenSize.width, compatibleScreenSize.height)
        try check("screenScale", screenScale)
    }

    /// The screen as the app sees it, upright.
    var sceneScreenSize: CGSize { isLetterboxed ? compatibleScreenSize : screenSize }
}

extension CGFloat {
    /// Whether a screen can have it as a side or scale.
    var isLength: Bool { isFinite && self > 0 }
}

/// A version such as 18.4.
public struct UIVersion: Hashable, Comparable, Sendable {
    public var major: Int
    public var minor: Int

    public init(_ major: Int, _ minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// `nil` unless the text is one or more numbers with dots between them. What follows
    /// the second number is of no account.
    public init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard let first = numbers.first, let major = first, numbers.allSatisfy({ $0 != nil && $0! >= 0 }) else {
            return nil
        }
        self.init(major, numbers.count > 1 ? numbers[1]! : 0)
    }

    public static func < (a: UIVersion, b: UIVersion) -> Bool { (a.major, a.minor) < (b.major, b.minor) }
}

extension UIVersion: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral major: Int) { self.init(major) }
    public var description: String { "\(major).\(minor)" }
}
