internal import CSettle

/// A width and a height, in the producer's unit: pixels or points.
///
/// The engine knows only sizes with both sides above zero. In an event a zero
/// side means "keep the size", as in Wayland's `configure(0, 0)`.
public struct Size: Hashable, Sendable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// In an event: keep the size.
    public static let zero = Size(width: 0, height: 0)

    /// The contract's rule 2: whether both sides are finite and not negative. An engine rejects an
    /// event with another size.
    package var isValid: Bool { settle_size_valid(width, height) }
}

extension Size: CustomStringConvertible {
    /// For example `400×300`.
    public var description: String { "\(Size.text(width))×\(Size.text(height))" }

    /// A length without a needless fraction: `400` rather than `400.0`.
    package static func text(_ length: Double) -> String {
        Int64(exactly: length).map(String.init) ?? String(length)
    }
}

/// The orientation of a scene's interface. The engine carries it and never
/// rebuilds for it alone: a half turn has the same size.
public enum InterfaceOrientation: UInt8, Hashable, Sendable, CaseIterable {
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeLeft = 3
    case landscapeRight = 4
}

/// A moment in absolute nanoseconds on whatever clock the producer uses, from 0
/// to `Timestamp.latest`. Time is an argument everywhere in this module: nothing
/// here reads a clock. A live engine reads one, CLOCK_MONOTONIC, and so its events'
/// times are of that clock; a later time is taken as now there.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// 2^63 − 1 ns; events later than this are rejected.
    public static let latest = Timestamp(nanoseconds: UInt64(Int64.max))

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The time from `earlier` to `self`, negative when `self` is before it.
    public func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(Int64(bitPattern: nanoseconds &- earlier.nanoseconds))
    }
}

/// A connected scene: a number that names it until it disconnects and is never
/// taken for the scene that later uses the same room.
public struct SceneID: Hashable, Sendable, RawRepresentable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
