/// A side, middle or length of a view or layout guide, from which constraints are made.
///
/// Use the subclasses: a constraint between anchors of different kinds does not compile.
@preconcurrency @MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    /// The view or layout guide, which the anchor retains.
    public let item: AnyObject?
    nonisolated final let part: AnchorPart

    var attribute: NSLayoutConstraint.Attribute { part.attribute }

    init(_ item: AnyObject, _ attribute: NSLayoutConstraint.Attribute) {
        self.item = item
        part = AnchorPart(item: ObjectIdentifier(item), attribute: attribute)
        super.init()
    }

    /// The name of the side, middle or length, such as `leading`.
    open var name: String { "\(attribute)" }

    /// Whether the constraints leave the view or layout guide more than one place or size.
    open var hasAmbiguousLayout: Bool {
        (item as? UIView)?.hasAmbiguousLayout ?? (item as? UILayoutGuide)?.hasAmbiguousLayout ?? false
    }

    /// Two anchors are equal if they are the same part of the same view or layout guide.
    nonisolated open override func isEqual(_ object: Any?) -> Bool { (object as? any HasAnchorPart)?.part == part }

    nonisolated open override var hash: Int { part.hashValue }

    func constraint(
        _ relation: NSLayoutConstraint.Relation, _ anchor: NSLayoutAnchor<AnchorType>?, multiplier: CGFloat = 1,
        constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(
            (item, attribute), relation, anchor.map { (item: $0.item, attribute: $0.attribute) },
            multiplier: multiplier,
            constant: constant)
    }

    // Both anchors are of the same kind. Constants are in points.

    /// This anchor is where the other one is.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
        constraint(.equal, anchor)
    }
    /// This anchor is where the other one is or, along the axis, beyond it.
    open func constraint(greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor)
    }
    /// This anchor is where the other one is or, along the axis, before it.
    open func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor)
    }
    /// This anchor is `c` points beyond the other one.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat) -> NSLayoutConstraint {
        constraint(.equal, anchor, constant: c)
    }
    /// This anchor is at least `c` points beyond the other one.
    open func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor, constant: c)
    }
    /// This anchor is at most `c` points beyond the other one.
    open func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor, constant: c)
    }
}

/// What an anchor of any kind is compared by.
struct AnchorPart: Hashable, Sendable {
    let item: ObjectIdentifier
    let attribute: NSLayoutConstraint.Attribute
}

private protocol HasAnchorPart {
    var part: AnchorPart { get }
}

extension NSLayoutAnchor: HasAnchorPart {}

/// A vertical line: the leading, trailing, left or right side, or the middle.
@preconcurrency @MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {
    /// This anchor is the system's spacing, 8 points, times `multiplier` after the other one.
    open func constraint(
        equalToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { constraint(.equal, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing) }
    /// This anchor is at least the system's spacing, 8 points, times `multiplier` after the other one.
    open func constraint(
        greaterThanOrEqualToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing)
    }
    /// This anchor is at most the system's spacing, 8 points, times `multiplier` after the other one.
    open func constraint(
        lessThanOrEqualToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing)
    }
}

/// A horizontal line: the top, the bottom or the middle.
@preconcurrency @MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {
    /// This anchor is the system's spacing, 8 points, times `multiplier` below the other one.
    open func constraint(
        equalToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { constraint(.equal, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing) }
    /// This anchor is at least the system's spacing, 8 points, times `multiplier` below the other one.
    open func constraint(
        greaterThanOrEqualToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing)
    }
    /// This anchor is at most the system's spacing, 8 points, times `multiplier` below the other one.
    open func constraint(
        lessThanOrEqualToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor, constant: multiplier * NSLayoutConstraint.systemSpacing)
    }
}

/// A length: the width or the height.
@preconcurrency @MainActor open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    /// The length is `c` points.
    open func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint { constraint(.equal, nil, constant: c) }
    /// The length is at least `c` points.
    open func constraint(greaterThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, nil, constant: c)
    }
    /// The length is at most `c` points.
    open func constraint(lessThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, nil, constant: c)
    }

    /// The length is `m` times the other one.
    open func constraint(equalTo anchor: NSLayoutDimension, multiplier m: CGFloat) -> NSLayoutConstraint {
        constraint(.equal, anchor, multiplier: m)
    }
    /// The length is at least `m` times the other one.
    open func constraint(greaterThanOrEqualTo anchor: NSLayoutDimension, multiplier m: CGFloat) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor, multiplier: m)
    }
    /// The length is at most `m` times the other one.
    open func constraint(lessThanOrEqualTo anchor: NSLayoutDimension, multiplier m: CGFloat) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor, multiplier: m)
    }

    /// The length is `m` times the other one, and `c` points.
    open func constraint(
        equalTo anchor: NSLayoutDimension, multiplier m: CGFloat, constant c: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.equal, anchor, multiplier: m, constant: c)
    }
    /// The length is at least `m` times the other one, and `c` points.
    open func constraint(
        greaterThanOrEqualTo anchor: NSLayoutDimension, multiplier m: CGFloat, constant c: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.greaterThanOrEqual, anchor, multiplier: m, constant: c)
    }
    /// The length is at most `m` times the other one, and `c` points.
    open func constraint(
        lessThanOrEqualTo anchor: NSLayoutDimension, multiplier m: CGFloat, constant c: CGFloat
    ) -> NSLayoutConstraint {
        constraint(.lessThanOrEqual, anchor, multiplier: m, constant: c)
    }
}

extension NSLayoutConstraint {
    /// The distance that the system has between views, in points.
    nonisolated static let systemSpacing: CGFloat = 8
}
