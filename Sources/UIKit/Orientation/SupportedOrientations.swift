/// Which orientations an app's interface may have.
///
/// They matter where the system rotates a scene that covers the screen: on phones, and for an
/// app that requires the full screen. In a window of variable size the orientation is only
/// that of the screen.
extension Displays {
    /// The orientation that the app requested last or, without a request since the device was
    /// rotated, the device's.
    var wantedOrientation: UIInterfaceOrientation { orientationRequest ?? deviceOrientation }

    /// The orientation that the main screen's interface is to have: the wanted one if the app
    /// supports it, else the present one, else one that it supports.
    var nextOrientation: UIInterfaceOrientation {
        guard let scene = orientingScene else { return wantedOrientation }
        return supportedOrientations(of: scene).first(of: wantedOrientation, mainScreen.orientation) ?? .unknown
    }

    /// The front-most scene whose view controller may limit the orientations; `nil` for none.
    private var orientingScene: UIWindowScene? {
        guard !platform.isWindowed || app.infoPlist.fullScreen.isRequired else { return nil }
        let scenes = app.windowScenes.filter { $0.screen === mainScreen && $0.sizing != .window }
        return scenes.max { $0.session.activationOrder < $1.session.activationOrder }
    }

    /// The orientations that both the app and the scene's view controller support.
    func supportedOrientations(of scene: UIWindowScene) -> UIInterfaceOrientationMask {
        let window = scene.keyWindow.flatMap { $0.isHidden ? nil : $0 } ?? scene.windows.last { !$0.isHidden }
        let delegate = app.application.delegate
        let ofApp =
            delegate?.application(app.application, supportedInterfaceOrientationsFor: window) ?? declaredOrientations
        var visible = window?.rootViewController
        while let covering = visible?.coveringController { visible = covering }
        guard let controller = visible, controller.shouldAutorotate else { return ofApp }
        let common = ofApp.intersection(controller.supportedInterfaceOrientations)
        guard !common.isEmpty else {
            fatalError(
                "the supportedInterfaceOrientations of \(type(of: controller)) have none in common with those of the "
                    + "app (\(delegate.map { "\(type(of: $0))" } ?? "Info.plist")), and its shouldAutorotate is true")
        }
        return common
    }

    /// The orientations of the Info.plist; without them the platform's default.
    var declaredOrientations: UIInterfaceOrientationMask {
        app.infoPlist.orientations(on: platform.kind) ?? platform.kind.defaultOrientations
    }

    /// Rotates the interface after a scene's windows, or what their controllers support, may
    /// have changed. Call for a scene on the main screen.
    func updateOrientation(of scene: UIWindowScene) {
        guard scene.sizing != .window, scene.screen === mainScreen, mainScreen.orientation != .unknown
        else { return }
        if nextOrientation != mainScreen.orientation {
            turn.afterCallbacks { [unowned self] in followDevice() }
        }
    }
}

extension UISystem.Platform.Kind {
    /// What a view controller, and an app without a key in its Info.plist, supports.
    var defaultOrientations: UIInterfaceOrientationMask { self == .phone ? .allButUpsideDown : .all }
}
