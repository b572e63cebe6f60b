internal import Settle

/// A layout guide that follows something on the screen. The system makes it.
@preconcurrency @MainActor open class UITrackingLayoutGuide: UILayoutGuide {}

/// The part of a view that the keyboard covers, as the host shows it; without one, the bottom of the safe
/// area.
@preconcurrency @MainActor open class UIKeyboardLayoutGuide: UITrackingLayoutGuide {
    /// Whether the guide ends at the safe area, not at the view's bottom, where no keyboard covers it. True by
    /// default.
    open var usesBottomSafeArea = true {
        didSet {
            guard usesBottomSafeArea != oldValue else { return }
            owningView?.setNeedsLayout()
            owningView?.constraintState?.plannedBy?.setNeedsLayout()
        }
    }

    /// Whether the guide follows a keyboard that floats. There is none, so it changes nothing.
    open var followsUndockedKeyboard = false
}

extension UIView {
    /// The part of the view that the keyboard covers: the same guide each time.
    public var keyboardLayoutGuide: UIKeyboardLayoutGuide {
        // `regionGuide` makes one of this class for this region.
        regionGuide(for: .keyboard) as! UIKeyboardLayoutGuide
    }

    final func keyboardInsets(_ safeArea: UIEdgeInsets) -> UIEdgeInsets {
        let (bounds, guide) = (bounds, insetState?.regions.first { $0.region == .keyboard })
        var covered = (guide as? UIKeyboardLayoutGuide)?.usesBottomSafeArea == false ? 0 : safeArea.bottom
        if let window, let area = window.keyboardArea {
            let top = window.convert(area.origin, to: self).y
            covered = max(covered, min(bounds.size.height, bounds.origin.y + bounds.size.height - top))
        }
        return UIEdgeInsets(top: max(0, bounds.size.height - covered), left: 0, bottom: 0, right: 0)
    }
}

extension UIWindow {
    /// What the keyboard covers, in the window's coordinates; `nil` without one.
    final var keyboardArea: CGRect? {
        guard let height = sceneReference?.borrow({ $0.keyboardHeight }), height > 0 else { return nil }
        let (bounds, covered) = (bounds, min(height, storedFrame.size.height))
        return CGRect(
            x: bounds.origin.x, y: bounds.origin.y + bounds.size.height - covered, width: bounds.size.width,
            height: covered)
    }

    /// Whether something lies over a part of the window.
    final var hasCover: Bool { hasControl || keyboardArea != nil }
}

extension UISystem {
    /// Shows the keyboard at the bottom of a scene, over a height in points; 0 hides it. A height that is not
    /// finite, or negative, is ignored, which is logged.
    ///
    /// - Throws: `notConnected`.
    public func setKeyboardHeight(_ height: CGFloat, of scene: UIWindowScene) throws {
        guard engine.isBound(scene) else { throw UISystem.Error.notConnected }
        guard height.isFinite, height >= 0 else {
            return log("The keyboard cannot have the height \(height), which must be finite and not negative.")
        }
        guard height != scene.keyboardHeight else { return }
        turn.hostCall {
            scene.keyboardHeight = height
            for window in scene.windows { window.sceneInsetsDidChange() }
        }
    }
}
