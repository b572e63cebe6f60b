extension UIWindowScene {
    /// What an app wants of a scene's geometry. Use one of the subclasses.
    @preconcurrency @MainActor open class GeometryPreferences: NSObject {
        fileprivate override init() { super.init() }

        /// What an app on a phone or pad wants.
        // The name is Apple's.
        // swift-format-ignore: TypeNamesShouldBeCapitalized
        @preconcurrency @MainActor open class iOS: GeometryPreferences {
            /// The orientations, of which the system chooses one; `nil` for no preference.
            open var interfaceOrientations: UIInterfaceOrientationMask?

            /// Without a preference.
            public override init() { super.init() }

            /// One of these orientations.
            public convenience init(interfaceOrientations: UIInterfaceOrientationMask) {
                self.init()
                self.interfaceOrientations = interfaceOrientations
            }
        }

        /// What an app on a Mac wants.
        @preconcurrency @MainActor open class Mac: GeometryPreferences {
            /// The window's frame on its screen, in points; `nil` for no preference.
            open var systemFrame: CGRect?

            /// Without a preference.
            public override init() { super.init() }

            /// A window with that frame.
            public convenience init(systemFrame: CGRect) {
                self.init()
                self.systemFrame = systemFrame
            }
        }
    }

    /// Requests another orientation or frame. The request is met once the callback that makes
    /// it, if any, has returned; the delegate gets a geometry callback as for any change.
    ///
    /// An orientation that was granted stays until the device is rotated. It is granted where
    /// the system rotates a scene that covers the screen: on phones, and for an app that
    /// requires the full screen; not while the orientation is locked. A frame is clamped to the
    /// scene's size restrictions.
    ///
    /// - Parameters:
    ///   - geometryPreferences: Of the kind of the platform.
    ///   - errorHandler: Gets a `UISceneError` if the request is not met, after this call has
    ///     returned: `geometryRequestUnsupported` if it cannot be met on this platform or
    ///     window, `geometryRequestDenied` if it cannot be met now.
    public final func requestGeometryUpdate(
        _ geometryPreferences: GeometryPreferences, errorHandler: ((any Error) -> Void)? = nil
    ) {
        guard let system = UISystem.current else { return }
        system.turn.afterCallbacks { [self] in
            do throws(UISceneError) {
                try system.displays.meet(geometryPreferences, of: self)
            } catch {
                if let errorHandler { system.turn.onNextTurn { errorHandler(error) } }
            }
        }
    }
}

extension Displays {
    fileprivate func meet(
        _ preferences: UIWindowScene.GeometryPreferences, of scene: UIWindowScene
    ) throws(UISceneError) {
        guard engine.isBound(scene), app.phase != .ended else {
            throw UISceneError(.geometryRequestDenied, "the scene is not connected")
        }
        switch preferences {
        case let preferences as UIWindowScene.GeometryPreferences.iOS:
            if let mask = preferences.interfaceOrientations { try turn(scene, to: mask) }
        case let preferences as UIWindowScene.GeometryPreferences.Mac:
            if let frame = preferences.systemFrame { try setSystemFrame(frame, of: scene) }
        default: throw UISceneError(.geometryRequestUnsupported, "the preferences are of no platform")
        }
    }

    private func turn(_ scene: UIWindowScene, to mask: UIInterfaceOrientationMask) throws(UISceneError) {
        guard mainScreen.orientation != .unknown else {
            throw UISceneError(
                .geometryRequestUnsupported, "the interface of a \(platform.kind) does not rotate")
        }
        guard scene.sizing != .window, scene.screen === mainScreen else {
            throw UISceneError(
                .geometryRequestUnsupported,
                "the scene is a window of variable size, or on another display, which an app does not rotate")
        }
        let common = supportedOrientations(of: scene).intersection(mask)
        guard let orientation = common.first(of: mainScreen.orientation, deviceOrientation) else {
            throw UISceneError(
                .geometryRequestDenied, "the view controller supports none of the requested orientations")
        }
        let (present, earlier) = (mainScreen.orientation, orientationRequest)
        orientationRequest = orientation
        followDevice()
        guard mainScreen.orientation == orientation || orientation == present else {
            orientationRequest = earlier
            throw UISceneError(.geometryRequestDenied, "the orientation is locked")
        }
    }

    private func setSystemFrame(_ frame: CGRect, of scene: UIWindowScene) throws(UISceneError) {
        guard platform.kind == .mac, scene.sizing == .window else {
            throw UISceneError(
                .geometryRequestUnsupported, "only a window on a Mac has a frame that an app may request")
        }
        guard frame.isUsable, !frame.isEmpty, !frame.isInfinite else {
            throw UISceneError(.geometryRequestUnsupported, "the requested frame is empty or not finite")
        }
        setFrame(frame, of: scene)
    }
}
