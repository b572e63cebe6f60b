@_spi(Faults) internal import Settle

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

    func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool {
        guard let system = UISystem.current, system.turn.isInTransition else { return false }
        if let animation {
            if Planted.alongsideLate { system.afterLayout { [self] in animation(self) } }
            if !Planted.alongsideLate { system.beforeLayout { [self] in animation(self) } }
        }
        if let completion { system.afterLayout { [self] in completion(self) } }
        return true
    }
}
