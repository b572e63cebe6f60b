extension UIView {
    /// Which parts of a view's frame change when the superview's size does. The parts that are
    /// set share the change in proportion to their present lengths.
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        /// The set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The space left of the view.
        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        /// The space right of the view.
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
        /// The space above the view.
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
        /// The space below the view.
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
    }

    // MARK: Setting

    final func setFrame(_ new: CGRect) {
        let old = storedFrame
        let isSameSize = new.size.width == old.size.width && new.size.height == old.size.height
        let isSameOrigin = new.origin.x == old.origin.x && new.origin.y == old.origin.y
        if isSameSize, isSameOrigin { return }
        guard new.hasFiniteSides else { return logNotFinite(new) }
        if isSameSize {
            storedFrame.origin = new.origin
        } else {
            sizeWillChange(to: new.size)
            storedFrame = new
            sizeDidChange(from: old.size)
        }
        if let constraintState { planInputDidChange(constraintState) }
        insetsMayChange(isMoved: !isSameOrigin)
    }

    final func setBounds(_ new: CGRect) {
        guard new.hasFiniteSides else { return logNotFinite(new) }
        if new.origin != storedBoundsOrigin {
            storedBoundsOrigin = new.origin
            mark(.layout)
            subviewsDidMove()
        }
        guard new.size != storedFrame.size else { return }
        let middle = center
        setFrame(
            CGRect(
                x: middle.x - new.size.width / 2, y: middle.y - new.size.height / 2, width: new.size.width,
                height: new.size.height))
    }

    private func subviewsDidMove() {
        constraintState?.plannedBy?.setNeedsLayout()
        for view in storedSubviews { view.insetsMayChange() }
    }

    private func logNotFinite(_ rect: CGRect) {
        UISystem.current?.logOnce(
            "A view of class \(type(of: self)) keeps its frame, as \(rect) is not finite. Check for divisions by a "
                + "size of 0.")
    }

    // MARK: Masks

    /// Gives a root view that is made without a nib the main screen's size, and a mask that keeps it
    /// as large as its superview.
    final func likeScreen() -> Self {
        frame = UISystem.current?.mainScreen.bounds ?? .zero
        autoresizingMask = [.flexibleWidth, .flexibleHeight]
        return self
    }

    /// Changes the frames of the subviews that have a mask, after the size has changed.
    final func autoresizeSubviews(from old: CGSize) {
        guard autoresizesSubviews else { return }
        let new = storedFrame.size
        storedSubviews.forEachBorrowed { view in
            let mask = view.autoresizingMask
            guard !mask.isEmpty, view.translatesAutoresizingMaskIntoConstraints else { return }
            // The window sets the frames of its root view, and of those that are presented.
            if let controller = view.controller, controller.window != nil || controller.isPresented { return }
            let frame = view.storedFrame
            let (x, width) = Self.stretched(
                frame.origin.x, frame.size.width, from: old.width, to: new.width,
                mask.contains(.flexibleLeftMargin), mask.contains(.flexibleWidth),
                mask.contains(.flexibleRightMargin))
            let (y, height) = Self.stretched(
                frame.origin.y, frame.size.height, from: old.height, to: new.height,
                mask.contains(.flexibleTopMargin), mask.contains(.flexibleHeight),
                mask.contains(.flexibleBottomMargin))
            view.frame = CGRect(x: x, y: y, width: width, height: height)
        }
    }

    /// One axis: the margin before, the length and the margin after share the change in
    /// proportion to their lengths, or equally if those are all zero.
    private static func stretched(
        _ start: CGFloat, _ length: CGFloat, from old: CGFloat, to new: CGFloat, _ isBeforeFlexible: Bool,
        _ isLengthFlexible: Bool, _ isAfterFlexible: Bool
    ) -> (CGFloat, CGFloat) {
        let flexible = (isBeforeFlexible ? 1 : 0) + (isLengthFlexible ? 1 : 0) + (isAfterFlexible ? 1 : 0)
        guard flexible > 0, new != old else { return (start, length) }
        let before = isBeforeFlexible ? start : 0
        let middle = isLengthFlexible ? length : 0
        let after = isAfterFlexible ? old - start - length : 0
        let total = before + middle + after
        let change = new - old
        func share(_ part: CGFloat, _ isFlexible: Bool) -> CGFloat {
            guard isFlexible else { return 0 }
            return total == 0 ? change / CGFloat(flexible) : change * (part / total)
        }
        return (
            start + share(before, isBeforeFlexible), max(0, length + share(middle, isLengthFlexible))
        )
    }
}

extension CGRect {
    var hasFiniteSides: Bool {
        (origin.x + origin.y + size.width + size.height).isFinite
            || (origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite)
    }
}

// MARK: - Coordinates

extension UIView: PlacedSpace {
    var originOnScreen: CGPoint {
        var origin = CGPoint(
            x: storedFrame.origin.x - storedBoundsOrigin.x, y: storedFrame.origin.y - storedBoundsOrigin.y)
        var view = Unmanaged.passUnretained(self)
        while let next = view.borrow({ $0.parentReference }) {
            next.borrow { parent in
                origin.x += parent.storedFrame.origin.x - parent.storedBoundsOrigin.x
                origin.y += parent.storedFrame.origin.y - parent.storedBoundsOrigin.y
            }
            view = next
        }
        let top = view.borrow { $0.originOfTop }
        return CGPoint(x: origin.x + top.x, y: origin.y + top.y)
    }

    final var topmostView: UIView {
        topReference.takeUnretainedValue()
    }
}
