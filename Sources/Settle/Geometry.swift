internal import CSettle

/// A width and a height, in the producer's unit: pixels or points.
///
/// The engine knows only sizes with both sides above zero. In an event, a zero side means
/// "keep the size", as in Wayland's `configure(0, 0)`.
///
/// Encoded as an object with the keys `width` and `height`.
public struct Size: Hashable, Sendable, Codable {
    /// The width, in the producer's unit.
    public var width: Double
    /// The height, in the producer's unit.
    public var height: Double

    /// A size. Any value can be made; an engine rejects a side that is negative or not finite.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// In an event: keep the size.
    public static let zero = Size(width: 0, height: 0)

    /// The contract's rule 2: whether both sides are finite and not negative. An engine rejects an
    /// event with another size.
    package var isValid: Bool { settle_size_valid(width, height) }

    /// Whether an event with this size states one: it is valid, and neither side is zero, which
    /// would keep the size.
    package var isStated: Bool { width != 0 && height != 0 && isValid }
}

extension Size: CustomStringConvertible {
    /// For example `400×300`.
    public var description: String { "\(Size.text(width))×\(Size.text(height))" }

    /// A length without a needless fraction: `400` rather than `400.0`.
    package static func text(_ length: Double) -> String {
        Int64(exactly: length).map(String.init) ?? String(length)
    }
}

/// The orientation of a scene's interface. The engine carries it and never rebuilds for it
/// alone: a half turn has the same size.
public enum InterfaceOrientation: UInt8, Hashable, Sendable, CaseIterable {
    /// The device's top is up.
    case portrait = 1
    /// The device's top is down.
    case portraitUpsideDown = 2
    /// Landscape, named as UIKit's interface orientations: a quarter turn from portrait.
    case landscapeLeft = 3
    /// Landscape, half a turn from `landscapeLeft`.
    case landscapeRight = 4
}

/// The handle of a connected scene. It names the scene until it disconnects; a later scene
/// in the same slot of the engine gets another handle. A slot's handles repeat after 4,194,303
/// scenes in an engine for 1,024 scenes, and after 4,095 in one for 2^20.
///
/// Encoded as its number.
public struct SceneID: Hashable, Sendable, RawRepresentable, Codable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

extension SceneID: CustomStringConvertible {
    /// For example `scene 1024`.
    public var description: String { "scene \(rawValue)" }
}
