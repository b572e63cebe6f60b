internal import Settle

extension UIView {
    static let readableWidth: CGFloat = 672

    final func setMargins(_ new: NSDirectionalEdgeInsets) {
        let (known, present) = (chosenMargins, directionalLayoutMargins)
        func side(_ side: KeyPath<NSDirectionalEdgeInsets, CGFloat>) -> CGFloat {
            let length = new[keyPath: side]
            if length == present[keyPath: side] { return known[keyPath: side] }
            return length.isFinite ? max(0, length) : 0
        }
        let margins = NSDirectionalEdgeInsets(
            top: side(\.top), leading: side(\.leading), bottom: side(\.bottom), trailing: side(\.trailing))
        guard margins != known else { return }
        ensureInsetState().margins = margins
        marginsMayChange()
    }

    /// Whether the margins begin at the safe area, not at the bounds. True by default.
    public var insetsLayoutMarginsFromSafeArea: Bool {
        get { insetState?.insetsMarginsFromSafeArea ?? true }
        set {
            guard newValue != insetsLayoutMarginsFromSafeArea else { return }
            ensureInsetState().insetsMarginsFromSafeArea = newValue
            marginsMayChange()
        }
    }

    /// Whether content also keeps clear of the superview's margins. False by default.
    public var preservesSuperviewLayoutMargins: Bool {
        get { insetState?.preservesSuperviewMargins ?? false }
        set {
            guard newValue != preservesSuperviewLayoutMargins else { return }
            ensureInsetState().preservesSuperviewMargins = newValue
            marginsMayChange()
        }
    }

    /// The bounds without the safe area's insets and the margins.
    public var layoutMarginsGuide: UILayoutGuide { layoutGuide(for: .margins()) }

    /// The middle of the margins' guide, at most 672 points wide.
    public var readableContentGuide: UILayoutGuide { layoutGuide(for: .readableContent()) }

    private func marginsMayChange() {
        markAgain()
        constraintState?.plannedBy?.setNeedsLayout()
    }

    // MARK: Computing

    /// The margins of a view for which nothing is set and nothing is covered.
    final var standardMarginInsets: UIEdgeInsets {
        let side: CGFloat = controllerReference == nil ? 8 : UIViewController.regularMargin
        return UIEdgeInsets(top: standardMargin, left: side, bottom: standardMargin, right: side)
    }

    /// The distance above and below if nothing is set.
    private var standardMargin: CGFloat { controllerReference == nil ? 8 : 0 }

    private var chosenMargins: NSDirectionalEdgeInsets {
        insetState?.margins
            ?? NSDirectionalEdgeInsets(top: standardMargin, leading: 8, bottom: standardMargin, trailing: 8)
    }

    /// The distances of content from the bounds.
    final var presentMargins: UIEdgeInsets {
        let safeArea = safeAreaInsets
        return marginInsets(safeArea, safeArea)
    }

    /// The distances of content from the bounds.
    ///
    /// - Parameters:
    ///   - safeArea: The safe area's insets.
    ///   - adapted: The same, or those past the window control.
    final func marginInsets(_ safeArea: UIEdgeInsets, _ adapted: UIEdgeInsets) -> UIEdgeInsets {
        var insets = UIEdgeInsets(top: standardMargin, left: 8, bottom: standardMargin, right: 8)
        if let margins = insetState?.margins {
            let isSymmetric = margins.leading == margins.trailing
            insets = UIEdgeInsets(margins, isSymmetric ? .leftToRight : effectiveUserInterfaceLayoutDirection)
        }
        if let controller, controller.viewRespectsSystemMinimumLayoutMargins {
            // Both sides have the same minimum.
            let side = controller.minimumMargin
            insets.left = max(insets.left, side)
            insets.right = max(insets.right, side)
        }
        if insetsLayoutMarginsFromSafeArea {
            insets = insets + adapted
        } else if adapted != safeArea {
            // The window control covers content even of a view that may extend below bars.
            if adapted.left != safeArea.left { insets.left += adapted.left }
            if adapted.right != safeArea.right { insets.right += adapted.right }
            if adapted.top != safeArea.top { insets.top += adapted.top }
        }
        if preservesSuperviewLayoutMargins, let above = parentView { insets = insets.union(marginsOf(above)) }
        return insets
    }

    /// What the superview's margins leave outside of this view's content.
    private func marginsOf(_ above: UIView) -> UIEdgeInsets {
        let outer = above.bounds.inset(by: above.presentMargins)
        let frame = storedFrame
        return UIEdgeInsets(
            top: outer.origin.y - frame.origin.y, left: outer.origin.x - frame.origin.x,
            bottom: frame.origin.y + frame.size.height - outer.origin.y - outer.size.height,
            right: frame.origin.x + frame.size.width - outer.origin.x - outer.size.width)
    }

    /// Insets that leave at most the readable width, in the middle.
    final func readableInsets(_ margins: UIEdgeInsets) -> UIEdgeInsets {
        let excess = storedFrame.size.width - margins.left - margins.right - Self.readableWidth
        guard excess > 0 else { return margins }
        var insets = margins
        insets.left += excess / 2
        insets.right += excess / 2
        return insets
    }
}

extension UIViewController {
    /// The margins at the sides of a root view, in points, in regular and in compact width.
    static let regularMargin: CGFloat = 20
    static let compactMargin: CGFloat = 16

    /// The smallest margins of the root view, in points: none above and below; 16 at the sides
    /// in compact width, else 20.
    public var systemMinimumLayoutMargins: NSDirectionalEdgeInsets {
        NSDirectionalEdgeInsets(top: 0, leading: minimumMargin, bottom: 0, trailing: minimumMargin)
    }

    final var minimumMargin: CGFloat {
        hasCompactWidth ? Self.compactMargin : Self.regularMargin
    }
}
