/// The device that the host's platform simulates.
@preconcurrency @MainActor public final class UIDevice: NSObject {
    public static var current: UIDevice { UISystem.running.device }

    public let userInterfaceIdiom: UIUserInterfaceIdiom
    /// For example `iPad`.
    public let model: String
    /// The operating system's name, for example `iPadOS`.
    public let systemName: String
    /// The operating system's version, for example `26.0`.
    public let systemVersion: String
    /// The device's physical orientation. The interface follows unless it is locked.
    public internal(set) var orientation: UIDeviceOrientation

    init(_ platform: UISystem.Platform) {
        userInterfaceIdiom = platform.kind.userInterfaceIdiom
        switch platform.kind {
        case .phone: (model, systemName) = ("iPhone", "iOS")
        case .pad: (model, systemName) = ("iPad", "iPadOS")
        case .mac: (model, systemName) = ("Mac", "macOS")
        case .vision: (model, systemName) = ("Apple Vision", "visionOS")
        }
        systemVersion = "\(platform.osVersion)"
        orientation = UIDeviceOrientation(platform.orientation)
        super.init()
    }
}

extension UISystem.Platform.Kind {
    var userInterfaceIdiom: UIUserInterfaceIdiom {
        switch self {
        case .phone: .phone
        case .pad: .pad
        case .mac: .mac
        case .vision: .vision
        }
    }
}

/// The kind of device. The raw values are Apple's.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// No kind of device. The system never has it.
    case unspecified = -1
    case phone = 0
    case pad = 1
    /// A television. No system has it.
    case tv = 2
    /// A car's display. No system has it.
    case carPlay = 3
    case mac = 5
    /// An Apple Vision.
    case vision = 6
}

/// The physical orientation of a device. The raw values are Apple's: a device that is
/// rotated to the left shows an interface that is rotated to the right.
public enum UIDeviceOrientation: Int, Sendable {
    /// The device does not rotate.
    case unknown = 0
    /// Upright.
    case portrait = 1
    case portraitUpsideDown = 2
    /// Rotated to the left.
    case landscapeLeft = 3
    /// Rotated to the right.
    case landscapeRight = 4

    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }

    /// The orientation of a device on which an interface of that orientation is upright.
    init(_ interface: UIInterfaceOrientation) {
        self = UIDeviceOrientation(rawValue: interface.rawValue) ?? .unknown
    }
}
