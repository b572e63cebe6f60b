extension UISystem {
    /// The device and operating system that the host simulates.
    public struct Platform: Hashable, Sendable {
        /// The kind of device.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// An iPhone: one scene, which covers the screen.
            case phone
            /// An iPad.
            case pad
            /// A Mac, which does not rotate.
            case mac
            /// An Apple Vision, which does not rotate.
            case vision
        }

        /// The kind of device.
        public var kind: Kind
        /// The main screen's size in points, in portrait. Both sides are finite and above 0.
        public var screenSize: CGSize
        /// Pixels per point of the main screen, finite and above 0.
        public var screenScale: CGFloat
        /// The interface's orientation at launch; `.unknown` on a platform that does not rotate.
        public var orientation: UIInterfaceOrientation
        /// The version of the operating system.
        public var osVersion: Version
        /// The version of the SDK that the app is built with.
        public var linkedSDK: Version
        /// The version of the first SDK that knows the main screen's size.
        public var screenIntroduced: Version
        /// The screen size, in points and in portrait, for an app whose SDK does not know
        /// the main screen. Both sides are finite and above 0.
        public var compatibleScreenSize: CGSize
        /// Whether scenes are windows of variable size. Always false on a phone.
        public var isWindowed: Bool {
            get { allowsWindows && kind != .phone }
            set { allowsWindows = newValue }
        }
        private var allowsWindows: Bool
        /// The safe area's insets of scenes, such as those of a status bar, finite and not
        /// negative.
        public var sceneInsets = SceneInsets()
        /// Whether an external display extends the desktop instead of mirroring the main
        /// screen.
        public var extendsDisplays: Bool

        /// Where a window's width makes its horizontal size class compact or regular, on a pad,
        /// Mac or Vision.
        public var sizeClassWidths = SizeClassWidths()
        /// The direction of the interface: `.leftToRight`, unless the device's language is
        /// written from right to left.
        public var layoutDirection = UITraitEnvironmentLayoutDirection.leftToRight
        /// Whether the interface is light or dark.
        public var userInterfaceStyle = UIUserInterfaceStyle.light

        /// A platform. Sizes are in points and in portrait.
        public init(
            kind: Kind, screenSize: CGSize, screenScale: CGFloat = 2, orientation: UIInterfaceOrientation = .portrait,
            osVersion: Version = 26, linkedSDK: Version = 26, screenIntroduced: Version = 0,
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
            allowsWindows = isWindowed
            self.extendsDisplays = extendsDisplays
        }

        /// A phone with a screen of 402×874 points at 3×. Its scenes cover the screen.
        public static let phone = Platform(
            kind: .phone, screenSize: CGSize(width: 402, height: 874), screenScale: 3, isWindowed: false)
        /// A pad with windows and a screen of 1024×1366 points at 2×.
        public static let pad = Platform(
            kind: .pad, screenSize: CGSize(width: 1024, height: 1366),
            compatibleScreenSize: CGSize(width: 768, height: 1024))
        /// A Mac with a screen of 1512×982 points at 2×. It does not rotate.
        public static let mac = Platform(
            kind: .mac, screenSize: CGSize(width: 1512, height: 982), orientation: .unknown,
            compatibleScreenSize: CGSize(width: 1512, height: 982), extendsDisplays: true)
        /// A headset with a screen of 1280×720 points at 2×. It does not rotate.
        public static let vision = Platform(
            kind: .vision, screenSize: CGSize(width: 1280, height: 720), orientation: .unknown,
            compatibleScreenSize: CGSize(width: 1280, height: 720))

        /// The predefined platform of a kind.
        public init(_ kind: Kind) {
            switch kind {
            case .phone: self = .phone
            case .pad: self = .pad
            case .mac: self = .mac
            case .vision: self = .vision
            }
        }

        /// Whether the system shows the app on an older screen, scaled: for apps built with
        /// an SDK before 26 that does not know the screen.
        var isLetterboxed: Bool { linkedSDK < 26 && linkedSDK < screenIntroduced }

        /// - Throws: `platform` for a side or scale that is not finite or not above 0, and for
        ///   insets that are not finite or negative.
        func check() throws(UISystem.Error) {
            func check(_ name: String, _ values: CGFloat...) throws(UISystem.Error) {
                guard let fault = values.first(where: { !$0.isLength }) else { return }
                throw .platform(name: name, value: "\(fault)")
            }
            try check("screenSize", screenSize.width, screenSize.height)
            try check("compatibleScreenSize", compatibleScreenSize.width, compatibleScreenSize.height)
            try check("screenScale", screenScale)
            try Self.check("sceneInsets.portrait", sceneInsets.portrait)
            try Self.check("sceneInsets.landscape", sceneInsets.landscape)
            try Self.check("sceneInsets.window", sceneInsets.window)
        }

        private static func check(_ name: String, _ insets: UIEdgeInsets) throws(UISystem.Error) {
            guard insets.isFinite, insets == insets.union(.zero) else {
                throw .platform(name: name, value: "\(insets)")
            }
        }

        var sceneScreenSize: CGSize { isLetterboxed ? compatibleScreenSize : screenSize }
    }

    /// A version such as 18.4, of an operating system or an SDK.
    public struct Version: Hashable, Comparable, Sendable {
        /// The number before the dot.
        public var major: Int
        /// The number after the dot.
        public var minor: Int

        /// The version `major.minor`.
        public init(_ major: Int, _ minor: Int = 0) {
            self.major = major
            self.minor = minor
        }

        /// Parses one or more numbers separated by dots; `nil` for any other text. Numbers
        /// after the second are ignored.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
            guard numbers.count == parts.count, let major = numbers.first else { return nil }
            self.init(major, numbers.count > 1 ? numbers[1] : 0)
        }

        /// Orders versions by their major, then by their minor number.
        public static func < (a: Version, b: Version) -> Bool { (a.major, a.minor) < (b.major, b.minor) }
    }
}

extension UISystem.Version: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral major: Int) { self.init(major) }
    public var description: String { "\(major).\(minor)" }
}

extension CGFloat {
    var isLength: Bool { isFinite && self > 0 }
}
