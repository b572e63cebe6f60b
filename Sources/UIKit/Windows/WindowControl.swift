internal import Settle

/// What the system shows around or over a scene's content.
struct SceneSurroundings: Sendable {
    /// The safe area's insets of the scene's windows, in points.
    var safeArea = UIEdgeInsets.zero
    /// The top of the window control's area, in points; `nil` without one.
    var controlTop: CGFloat?
    /// The geometry that counts here.
    var coversScreen = false
    var orientation = UIInterfaceOrientation.unknown
}

/// The window control: what closes, minimises and arranges a window, at its top leading corner.
/// Only a pad's windows have it, and only while they do not cover their screen.
enum WindowControl {
    /// The area that a unified control takes, in points.
    static let size = CGSize(width: 66, height: 43)
    /// What a minimal control adds to the safe area's top, in points.
    static let minimalHeight: CGFloat = 32
}

extension UIWindowScene {
    /// The style of the controls that close, minimise and arrange a window. Immutable; nobody outside can
    /// make or derive another.
    public class WindowingControlStyle: NSObject, @unchecked Sendable {
        enum Kind: Sendable { case automatic, minimal, unified }

        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
            super.init()
        }

        private static let automaticStyle = WindowingControlStyle(.automatic)
        private static let minimalStyle = WindowingControlStyle(.minimal)
        private static let unifiedStyle = WindowingControlStyle(.unified)

        /// The system chooses the style: `unified`, for apps built with an SDK before 26
        /// `minimal`.
        public class var automatic: WindowingControlStyle { automaticStyle }
        /// As small as possible: the controls lie in the safe area's top.
        public class var minimal: WindowingControlStyle { minimalStyle }
        /// In line with the bar at the top of the scene: the controls take the top leading corner.
        public class var unified: WindowingControlStyle { unifiedStyle }
    }

    /// Asks the delegate for the style: once it has connected, and whenever the scene enters the
    /// foreground.
    func readControlStyle() {
        controlStyle = windowDelegate?.preferredWindowingControlStyle(for: self) ?? .automatic
        updateSurroundings()
    }

    /// Computes what the system shows around the scene, after its geometry, screen or style has
    /// changed, and marks the windows.
    func updateSurroundings() {
        guard let system = UISystem.current else { return }
        let present = presentSurroundings(system)
        let isOther = present.safeArea != surroundings.safeArea || present.controlTop != surroundings.controlTop
        surroundings = present
        if isOther {
            for window in windows { window.sceneInsetsDidChange() }
        }
    }

    /// The same after a change of geometry, most of which make no difference.
    func followGeometry() {
        if surroundings.coversScreen != coversScreen || surroundings.orientation != pending.orientation {
            updateSurroundings()
        }
    }

    private func presentSurroundings(_ system: UISystem) -> SceneSurroundings {
        let covers = coversScreen
        var present = SceneSurroundings(
            safeArea: hostInsets ?? system.platform.safeAreaInsets(for: pending.orientation, isFullScreen: covers),
            coversScreen: covers, orientation: pending.orientation)
        guard system.platform.kind == .pad, sizeRestrictions != nil, !covers else {
            return present
        }
        let isUnified =
            switch controlStyle.kind {
            case .automatic: system.platform.linkedSDK >= 26
            case .minimal: false
            case .unified: true
            }
        if isUnified {
            present.controlTop = present.safeArea.top
        } else {
            present.safeArea.top += WindowControl.minimalHeight
        }
        return present
    }
}

extension UIWindow {
    /// Whether the window control covers a part of the window.
    final var hasControl: Bool { sceneReference?.borrow { $0.surroundings.controlTop } != nil }

    /// What the window control covers, in the window's coordinates; `nil` without one.
    final var controlArea: CGRect? {
        guard let top = sceneReference?.borrow({ $0.surroundings.controlTop }) else { return nil }
        let isMirrored = effectiveUserInterfaceLayoutDirection == .rightToLeft
        let x = isMirrored ? storedFrame.size.width - WindowControl.size.width : 0
        let origin = CGPoint(x: storedBoundsOrigin.x + x, y: storedBoundsOrigin.y + top)
        return CGRect(origin: origin, size: WindowControl.size)
    }

    /// The safe area, the window control or the keyboard of the scene has changed.
    final func sceneInsetsDidChange() {
        mark(.layout)
        markAdaptiveViews(within: self)
    }
}

extension UISystem {
    /// The safe area's insets that the platform gives a scene, in points. All are zero by
    /// default.
    public struct SceneInsets: Hashable, Sendable {
        /// Of a scene that covers its screen, in portrait and on platforms that do not rotate.
        public var portrait: UIEdgeInsets
        /// Of a scene that covers its screen, in landscape.
        public var landscape: UIEdgeInsets
        /// Of a window that does not cover its screen.
        public var window: UIEdgeInsets

        /// Insets in points.
        public init(portrait: UIEdgeInsets = .zero, landscape: UIEdgeInsets = .zero, window: UIEdgeInsets = .zero) {
            self.portrait = portrait
            self.landscape = landscape
            self.window = window
        }
    }

    /// Sets what the system shows at the sides of a scene, in points, instead of the platform's
    /// `sceneInsets`; `nil` for those again. A window control comes in addition. Insets that are
    /// not finite or negative are ignored, which is logged.
    ///
    /// - Throws: `notConnected`.
    public func setSafeAreaInsets(_ insets: UIEdgeInsets?, of scene: UIWindowScene) throws {
        guard engine.isBound(scene) else { throw UISystem.Error.notConnected }
        if let insets, !insets.isFinite || insets != insets.union(.zero) {
            return log("A scene cannot have the safe area insets \(insets); they must be finite and not negative.")
        }
        turn.hostCall {
            scene.hostInsets = insets
            scene.updateSurroundings()
        }
    }
}

extension UISystem.Platform {
    /// The safe area's insets of a scene in that orientation, in points; see `sceneInsets`.
    public func safeAreaInsets(for orientation: UIInterfaceOrientation, isFullScreen: Bool = true) -> UIEdgeInsets {
        guard isFullScreen else { return sceneInsets.window }
        return orientation.isLandscape ? sceneInsets.landscape : sceneInsets.portrait
    }
}
