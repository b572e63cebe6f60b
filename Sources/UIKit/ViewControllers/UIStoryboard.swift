/// Creates view controllers by name.
///
/// There are no storyboard files on Linux. An app registers a closure for each name that
/// its Info.plist or its code uses, with `UISystem.registerStoryboard`, before the scene
/// connects.
@preconcurrency @MainActor public final class UIStoryboard: NSObject {
    let name: String

    /// A storyboard of that name. The bundle is ignored.
    public init(name: String, bundle storyboardBundleOrNil: Bundle?) {
        self.name = name
        super.init()
    }

    fileprivate static var factories: [String: (String?) -> UIViewController?] = [:]

    /// The initial view controller; `nil` if the storyboard is not registered or has none.
    public func instantiateInitialViewController() -> UIViewController? { Self.factories[name]?(nil) }

    /// The view controller with that identifier. Stops the program if there is none, as on
    /// Apple's platforms.
    public func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        guard let controller = Self.factories[name]?(identifier) else {
            fatalError(
                "storyboard \"\(name)\" has no view controller \"\(identifier)\"; register one with "
                    + "UISystem.registerStoryboard")
        }
        return controller
    }
}

extension UISystem {
    /// Registers what the storyboard of a name contains, for all systems; `nil` removes it.
    ///
    /// - Parameters:
    ///   - name: The name in the Info.plist or in `UIStoryboard(name:bundle:)`.
    ///   - make: Gets a view controller's identifier, or `nil` for the initial view
    ///     controller; returns `nil` if the storyboard has no such view controller.
    public static func registerStoryboard(
        _ name: String, make: ((_ identifier: String?) -> UIViewController?)?
    ) {
        UIStoryboard.factories[name] = make
    }
}
