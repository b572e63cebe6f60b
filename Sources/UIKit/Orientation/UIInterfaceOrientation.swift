internal import Settle

/// The orientation of an app's interface. The raw values are Apple's.
public enum UIInterfaceOrientation: Int, Sendable {
    /// The interface does not rotate.
    case unknown = 0
    /// The device is upright.
    case portrait = 1
    /// The device is upside down.
    case portraitUpsideDown = 2
    /// The device is rotated to the left.
    case landscapeRight = 3
    /// The device is rotated to the right.
    case landscapeLeft = 4

    /// Whether the orientation is one of the two portrait ones.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// Whether the orientation is one of the two landscape ones.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

extension UIInterfaceOrientation {
    init(_ orientation: InterfaceOrientation) {
        switch orientation {
        case .portrait: self = .portrait
        case .portraitUpsideDown: self = .portraitUpsideDown
        case .landscapeLeft: self = .landscapeLeft
        case .landscapeRight: self = .landscapeRight
        }
    }
}

extension InterfaceOrientation {
    /// UIKit's orientation as the engine's; `nil` for unknown.
    init?(_ orientation: UIInterfaceOrientation) {
        switch orientation {
        case .unknown: return nil
        case .portrait: self = .portrait
        case .portraitUpsideDown: self = .portraitUpsideDown
        case .landscapeLeft: self = .landscapeLeft
        case .landscapeRight: self = .landscapeRight
        }
    }
}
