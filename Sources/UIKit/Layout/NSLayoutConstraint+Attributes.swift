extension NSLayoutConstraint {
    /// A part of a view or layout guide. The raw values are Apple's.
    public enum Attribute: Int, Sendable {
        case left = 1
        case right = 2
        case top = 3
        case bottom = 4
        /// The side at which text begins.
        case leading = 5
        /// The side at which text ends.
        case trailing = 6
        case width = 7
        case height = 8
        /// The middle between left and right.
        case centerX = 9
        /// The middle between top and bottom.
        case centerY = 10
        /// The bottom, as no text is drawn.
        case lastBaseline = 11
        /// The top, as no text is drawn.
        case firstBaseline = 12
        /// The left side of the layout margins' guide.
        case leftMargin = 13
        /// The right side of the layout margins' guide.
        case rightMargin = 14
        /// The top of the layout margins' guide.
        case topMargin = 15
        /// The bottom of the layout margins' guide.
        case bottomMargin = 16
        /// The leading side of the layout margins' guide.
        case leadingMargin = 17
        /// The trailing side of the layout margins' guide.
        case trailingMargin = 18
        /// The middle between left and right of the layout margins' guide.
        case centerXWithinMargins = 19
        /// The middle between top and bottom of the layout margins' guide.
        case centerYWithinMargins = 20
        case notAnAttribute = 0
    }

    /// A direction in which a view has a length. The raw values are Apple's.
    public enum Axis: Int, Sendable {
        case horizontal = 0
        case vertical = 1
    }

    /// How the sides of a constraint compare. The raw values are Apple's.
    public enum Relation: Int, Sendable {
        /// The left side is at most the right one.
        case lessThanOrEqual = -1
        case equal = 0
        /// The left side is at least the right one.
        case greaterThanOrEqual = 1
    }

    /// Why no constraint can relate two parts; `nil` if one can.
    static func fault(
        _ first: (item: AnyObject?, attribute: Attribute), _ second: (item: AnyObject?, attribute: Attribute)?
    ) -> String? {
        func name(_ side: (item: AnyObject?, attribute: Attribute)) -> String {
            "the \(side.attribute) of \(side.item.map { "\(type(of: $0))" } ?? "no item")"
        }
        for side in [first, second].compactMap({ $0 }) where !(side.item is UIView || side.item is UILayoutGuide) {
            return "A constraint relates \(name(side)), which is neither a view nor a layout guide."
        }
        for side in [first, second].compactMap({ $0 }) where side.attribute == .notAnAttribute {
            return "A constraint relates \(name(side))."
        }
        guard let second else {
            return first.attribute.isLength
                ? nil : "A constraint relates \(name(first)), which is a position, to no other item."
        }
        let (a, b) = (first.attribute, second.attribute)
        guard a.isLength == b.isLength, a.isLength || a.isHorizontal == b.isHorizontal else {
            return "A constraint relates \(name(first)) to \(name(second)), which is of another kind."
        }
        guard !(a.isDirectional && b.isAbsolute), !(a.isAbsolute && b.isDirectional) else {
            return "A constraint relates \(name(first)) to \(name(second)): use leading and trailing for both, or "
                + "left and right."
        }
        return nil
    }

    /// In the words of the anchors, for messages.
    var text: String {
        func part(_ item: AnyObject?, _ attribute: Attribute) -> String {
            "\(item.map { "\(type(of: $0))" } ?? "nil").\(attribute)"
        }
        let sign = [Relation.lessThanOrEqual: "<=", .equal: "==", .greaterThanOrEqual: ">="][relation] ?? ""
        var words = ["\(part(firstItem, firstAttribute))", sign]
        if secondAttribute == .notAnAttribute {
            words.append("\(constant)")
        } else {
            if multiplier != 1 { words += ["\(multiplier)", "×"] }
            words.append(part(secondItem, secondAttribute))
            if constant != 0 { words += [constant < 0 ? "−" : "+", "\(abs(constant))"] }
        }
        if priority != .required { words.append("@\(priority.rawValue)") }
        let name = identifier.map { "'\($0)' " } ?? ""
        return "<\(type(of: self)) \(name)\(words.joined(separator: " "))>"
    }
}

extension NSLayoutConstraint.Attribute {
    var isLength: Bool { self == .width || self == .height }
    var isHorizontal: Bool {
        switch self {
        case .left, .right, .leading, .trailing, .centerX, .width: true
        default: false
        }
    }
    var isDirectional: Bool { self == .leading || self == .trailing }
    var isAbsolute: Bool { self == .left || self == .right }

    /// The item and part that stand for this part of an item: a margin is a side of the layout
    /// margins' guide.
    @MainActor func resolved(_ item: AnyObject) -> (item: AnyObject?, attribute: Self) {
        guard let side = sideOfMargins else { return (item, self) }
        return ((item as? UIView)?.layoutMarginsGuide ?? item, side)
    }

    private var sideOfMargins: Self? {
        switch self {
        case .leftMargin: .left
        case .rightMargin: .right
        case .topMargin: .top
        case .bottomMargin: .bottom
        case .leadingMargin: .leading
        case .trailingMargin: .trailing
        case .centerXWithinMargins: .centerX
        case .centerYWithinMargins: .centerY
        default: nil
        }
    }
}
