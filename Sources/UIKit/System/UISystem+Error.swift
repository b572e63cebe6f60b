extension UISystem {
    /// What the system refuses. The description says what is wrong, where, and what to do.
    public enum Error: Swift.Error, Hashable, Sendable {
        /// A scene cannot go from one state to the other in one step.
        case illegalTransition(from: UIScene.ActivationState, to: UIScene.ActivationState)
        /// The scene is not connected.
        case notConnected
        /// The scene manifest has no configuration of this name for the role.
        case unknownConfiguration(name: String, role: String, known: [String])
        /// A class that the Info.plist or a parameter names does not exist, or is not of the
        /// expected kind.
        case unusableClass(name: String, key: String, expected: String)
        /// The app delegate returned a configuration whose class is not of the expected kind.
        case wrongClass(name: String, property: String, expected: String)
        /// The app delegate returned a configuration for another role.
        case wrongRole(found: String, expected: String)
        /// Neither the Info.plist nor the app delegate configures scenes of this role.
        case noConfiguration(role: String)
        /// The app or the platform supports one scene at a time, and one is connected.
        case multipleScenesNotSupported
        /// The scene's size is fixed on this platform or for this app.
        case windowsCannotVary
        /// `UISceneSizeRestrictions.allowsFullScreen` is false.
        case fullScreenNotAllowed
        /// The separator cannot move, or is not being dragged.
        case notDraggable
        /// No split view controller is shown in the scene.
        case noSplitView
        /// The columns of the separator are not shown beside each other.
        case notShown
        /// The app does not adopt the scene life cycle, which this release requires.
        case scenesRequired
        /// The system has launched an app before.
        case launchedBefore
        /// The app was terminated.
        case ended
        /// Every attached external display shows a scene, or no display is attached.
        case noFreeDisplay
        /// The screen is not one of the system's screens.
        case screenNotAttached
        /// The screen is the main screen, or is not attached.
        case notAnExternalDisplay
        /// The Info.plist cannot be used.
        case infoPlist(ManifestError)
        /// A side or the scale of the platform's screen is not finite or not above 0, or insets
        /// of its scenes are not finite or negative.
        case platform(name: String, value: String)
        /// An environment variable has a value that cannot be used.
        case environment(name: String, value: String, expected: String)
        /// The tab is hidden, disabled, or in no tab bar controller.
        case tabNotSelectable(identifier: String)
        /// No tab bar controller that people see has a tab of this identifier.
        case unknownTab(identifier: String)
        /// There is no sidebar to show or hide: on this platform, at this size, or in this mode of the
        /// tab bar or split view controller.
        case sidebarNotAvailable
        case nothingPresented
        /// What is presented is no sheet, is modal, or its delegate does not let a person dismiss it.
        case notDismissible
        /// A script cannot be read, parsed or run. The text says why, with the file and line.
        case script(String)
    }
}

extension UISystem.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .illegalTransition(let from, let to):
            "a scene cannot go from \(from) to \(to) in one step; go through foregroundInactive"
        case .notConnected: "the scene is not connected; connect its session again"
        case .unknownConfiguration(let name, let role, let known):
            "the Info.plist has no scene configuration \"\(name)\" for \(role)"
                + (known.isEmpty ? "; it has none for that role" : "; it has \(known.joined(separator: ", "))")
        case .unusableClass(let name, let key, let expected):
            "\(key) is \"\(name)\", which is not the name of a \(expected); write MODULE.CLASS, "
                + "and declare the class neither nested nor private"
        case .wrongClass(let name, let property, let expected):
            "application(_:configurationForConnecting:options:) returned a configuration whose \(property) is "
                + "\(name), which is not a \(expected)"
        case .wrongRole(let found, let expected):
            "application(_:configurationForConnecting:options:) returned a configuration for \(found); the session "
                + "is for \(expected), so pass connectingSceneSession.role as the sessionRole"
        case .noConfiguration(let role):
            "there is no scene configuration for the role \(role); declare one in the Info.plist's "
                + "UIApplicationSceneManifest or return one from application(_:configurationForConnecting:options:)"
        case .multipleScenesNotSupported: UISceneError(.multipleScenesNotSupported).description
        case .windowsCannotVary:
            "the scene's size is fixed: on a phone, on a pad without windows, on an older screen's size and on a "
                + "non-interactive display"
        case .fullScreenNotAllowed:
            "the scene's size restrictions do not allow full screen; set sizeRestrictions.allowsFullScreen"
        case .notDraggable:
            "the separator cannot be moved: its column's minimum and maximum leave no space, another column is in "
                + "front, or beginDrag has not been called"
        case .noSplitView: "no split view controller is shown in the scene's window"
        case .notShown:
            "the columns of the separator are not shown beside each other; use one of separators(of:)"
        case .scenesRequired:
            "UIScene lifecycle is required: declare a scene manifest in the Info.plist, or implement "
                + "application(_:configurationForConnecting:options:)"
        case .launchedBefore: "this system has launched an app before; make another UISystem"
        case .noFreeDisplay:
            "no external display without a scene is attached; attach one, or disconnect the scene on it"
        case .screenNotAttached:
            "the screen is not one of the system's screens: it was detached, or belongs to another system"
        case .ended: "the app was terminated; make another UISystem"
        case .notAnExternalDisplay: "the screen is not an attached external display; pass one from attachDisplay"
        case .tabNotSelectable(let identifier):
            "the tab \"\(identifier)\" is hidden, disabled, or in no tab bar controller"
        case .unknownTab(let identifier):
            "no tab bar controller in the front window has a tab \"\(identifier)\""
        case .sidebarNotAvailable:
            "there is no sidebar to show or hide: on this platform, at this width, or in this mode of the controller"
        case .nothingPresented: "no view controller is presented in the front window"
        case .notDismissible:
            "the presented view controller is no sheet, is modal, or its delegate does not let a person dismiss it"
        case .platform(let name, let value):
            "UISystem.Platform.\(name) has the value \(value); it must be finite and above 0, and insets at least 0"
        case .infoPlist(let error): error.description
        case .script(let problem): problem
        case .environment(let name, let value, let expected): "\(name) is \"\(value)\"; it must be \(expected)"
        }
    }
}
