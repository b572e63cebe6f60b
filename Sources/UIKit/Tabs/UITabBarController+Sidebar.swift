extension UITabBarController {
    /// The sidebar of a tab bar controller. Nothing is drawn.
    @preconcurrency @MainActor open class Sidebar: NSObject {
        /// Where a sidebar on a pad is. The raw values are Apple's.
        public enum Layout: Int, Sendable {
            /// As `overlap`.
            case automatic = 0
            /// Over the pane, whose safe area begins beside it.
            case overlap = 1
            /// Beside the pane, which is narrower.
            case tile = 2
        }

        /// What an app customises of a sidebar. Every method has a default body.
        @preconcurrency @MainActor public protocol Delegate: NSObjectProtocol {
            /// The sidebar is about to be shown or hidden, by the app, by a person or
            /// because of the size.
            func tabBarController(
                _ tabBarController: UITabBarController,
                sidebarVisibilityWillChange sidebar: UITabBarController.Sidebar,
                animator: any UITabBarController.Sidebar.Animating)
        }

        /// Runs work of the app when the sidebar is shown or hidden.
        @preconcurrency @MainActor public protocol Animating: NSObjectProtocol {
            /// Runs work with the change.
            func addAnimations(_ animations: @escaping () -> Void)
            /// Runs work after the change.
            func addCompletion(_ completion: @escaping () -> Void)
        }

        weak var controller: UITabBarController?
        /// What the app or a person chose.
        private(set) var chosenIsHidden: Bool?

        /// Gets a call before the sidebar is shown or hidden.
        open weak var delegate: (any Delegate)?

        /// Where the sidebar is on a pad. On a Mac it is always beside the pane.
        open var preferredLayout = Layout.automatic {
            didSet { if preferredLayout != oldValue { update() } }
        }

        /// Whether the platform, the size and the controller's mode allow the sidebar.
        public var isAvailable: Bool { controller?.arrangement.isSidebarAvailable ?? false }

        /// Whether the sidebar is hidden; true where it is not available. Until it is set, a
        /// pad shows the sidebar in landscape only, other platforms always. What is set
        /// where the sidebar is not available takes effect when it is.
        open var isHidden: Bool {
            get { controller.map { !$0.arrangement.placement.hasSidebar } ?? true }
            set {
                guard newValue != chosenIsHidden else { return }
                chosenIsHidden = newValue
                update()
            }
        }

        private func update() {
            guard let controller else { return }
            controller.turn { controller.viewIfLoaded?.setNeedsLayout() }
        }
    }
}

extension UITabBarController.Sidebar.Delegate {
    public func tabBarController(
        _ tabBarController: UITabBarController, sidebarVisibilityWillChange sidebar: UITabBarController.Sidebar,
        animator: any UITabBarController.Sidebar.Animating
    ) {}
}

/// Collects the work that is done together with one change of a sidebar.
final class SidebarAnimator: NSObject, UITabBarController.Sidebar.Animating {
    private var work: [() -> Void] = []
    private var completions: [() -> Void] = []

    func addAnimations(_ animations: @escaping () -> Void) { work.append(animations) }
    func addCompletion(_ completion: @escaping () -> Void) { completions.append(completion) }

    /// Runs all, once the frames are those after the change.
    func run() {
        for work in work + completions { work() }
    }
}
