internal import Settle

/// What is known about a transition. There are no animations, so it ends in the turn in which
/// it begins.
@preconcurrency @MainActor public protocol UIViewControllerTransitionCoordinatorContext: NSObjectProtocol {
    /// Always false.
    var isAnimated: Bool { get }
    /// Whether a person is resizing the scene.
    var isInteractive: Bool { get }
    /// The same, as the beginning and the end of a transition are in one turn.
    var initiallyInteractive: Bool { get }
    /// Always false: a transition is not cancelled.
    var isCancelled: Bool { get }
    /// Always 0, in seconds.
    var transitionDuration: TimeInterval { get }
    /// The window whose view controllers have the transition; after it an empty view. The system makes
    /// no transition in another view.
    var containerView: UIView { get }
    /// How the interface is rotated, about what a person sees as upright; the identity for another size
    /// alone.
    var targetTransform: CGAffineTransform { get }
    /// Always `nil`: a transition is one of sizes and traits, in which no view controller takes another's
    /// place.
    func viewController(forKey key: UITransitionContextViewControllerKey) -> UIViewController?
}

/// Names a view controller of a transition.
public struct UITransitionContextViewControllerKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    /// A key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What is shown before.
    public static let from = UITransitionContextViewControllerKey(rawValue: "UITransitionContextFromViewController")
    /// What is shown after.
    public static let to = UITransitionContextViewControllerKey(rawValue: "UITransitionContextToViewController")
}

/// Runs work of the app with a change of size or traits.
@preconcurrency @MainActor
public protocol UIViewControllerTransitionCoordinator:
    UIViewControllerTransitionCoordinatorContext
{
    /// Runs `animation` once sizes and traits have changed and before the layout pass, and
    /// `completion` after the pass.
    ///
    /// - Returns: Whether they will run: false once the transition has ended.
    @discardableResult
    func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool
}

extension UIViewControllerTransitionCoordinator {
    /// Without a completion.
    @discardableResult
    public func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool {
        animate(alongsideTransition: animation, completion: nil)
    }
}

/// A system has two of them for all transitions, so that none is allocated for a new size: one
/// for those in a drag and one for the others.
final class TransitionCoordinator: NSObject, UIViewControllerTransitionCoordinator {
    let isInteractive: Bool

    init(isInteractive: Bool) {
        self.isInteractive = isInteractive
        super.init()
    }

    var isAnimated: Bool { false }
    var initiallyInteractive: Bool { isInteractive }
    var isCancelled: Bool { false }
    var transitionDuration: TimeInterval { 0 }
    func viewController(forKey key: UITransitionContextViewControllerKey) -> UIViewController? { nil }
    var containerView: UIView { place?.window ?? UIView() }
    var targetTransform: CGAffineTransform { place?.rotation ?? .identity }

    /// Where the transition is that was asked for last or, while its work runs, where that work was
    /// asked for. The system removes it at the end of the turn.
    var place: TransitionPlace?

    func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool {
        guard let system = UISystem.current, system.turn.isInTransition else { return false }
        if let animation { system.turn.beforeLayout(inPlace(animation)) }
        if let completion { system.turn.afterLayout(inPlace(completion)) }
        return true
    }

    /// Two scenes may have transitions in one turn.
    private func inPlace(
        _ work: @escaping (any UIViewControllerTransitionCoordinatorContext) -> Void
    ) -> () -> Void {
        { [self, place] in
            let last = self.place
            self.place = place
            work(self)
            self.place = last
        }
    }
}

/// The window of a transition, and how its interface is rotated.
@MainActor struct TransitionPlace {
    let window: UIWindow
    private let before: UIInterfaceOrientation
    private let after: UIInterfaceOrientation

    init?(_ window: UIWindow?) {
        guard let window else { return nil }
        self.window = window
        after = window.windowScene?.pending.orientation ?? .unknown
        before = window.windowScene?.rotatedFrom ?? after
    }

    var rotation: CGAffineTransform {
        guard let from = before.quarterTurns, let to = after.quarterTurns else { return .identity }
        return [.identity, CGAffineTransform(0, 1), CGAffineTransform(-1, 0), CGAffineTransform(0, -1)][
            (to - from + 4) % 4]
    }
}

extension UIInterfaceOrientation {
    fileprivate var quarterTurns: Int? {
        switch self {
        case .portrait: 0
        case .landscapeRight: 1
        case .portraitUpsideDown: 2
        case .landscapeLeft: 3
        default: nil
        }
    }
}
