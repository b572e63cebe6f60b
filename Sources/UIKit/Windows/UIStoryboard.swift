/// Makes view controllers by name.
///
/// There are no storyboard files on Linux: an app registers a closure for each name
/// that its Info.plist or its code uses, before the scene connects.
@preconcurrency @MainActor public final class UIStoryboard: NSObject {
    public let name: String

    public init(name: String, bundle storyboardBundleOrNil: Bundle?) {
        self.name = name
        super.init()
    }

    private static var factories: [String: (String?) -> UIViewController?] = [:]

    /// Registers what the storyboard of a name holds; `nil` takes it away.
    ///
    /// - Parameter make: Gets a view controller's identifier, or `nil` for the initial
    ///   one; returns `nil` when the storyboard has none such.
    public static func register(_ name: String, make: ((_ identifier: String?) -> UIViewController?)?) {
        factories[name] = make
    }

    var isRegistered: Bool { Self.factories[name] != nil }

    /// The initial view controller; `nil` when nothing is registered for it.
    public func instantiateInitialViewController() -> UIViewController? { Self.factories[name]?(nil) }

    /// Stops the program when nothing is registered for the identifier, as on Apple's
    /// platforms.
    public func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        guard let controller = Self.factories[name]?(identifier) else {
            fatalError(
                "storyboard \(name) has no view controller \(identifier); register one by UIStoryboard.register")
        }
        return controller
    }
}
