/// Brings what a container, or a window, shows in line with what it should show: one loop, which
/// goes on until nothing is left to do. What a callback of the loop asks for is noted by its caller,
/// and done by the loop that runs already.
@MainActor final class ContentLoop {
    private(set) var isRunning = false
    private var wasAsked = false

    /// Callbacks that ask for more in each of `UISystem.callbacksMax` steps leave the rest, which
    /// is logged.
    ///
    /// - Parameter step: Does the first thing that is left to do; false if nothing is.
    func run(of container: AnyObject, _ step: () -> Bool) {
        wasAsked = true
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        var rounds = 0
        while rounds < UISystem.callbacksMax {
            wasAsked = false
            guard step() else { return }
            if wasAsked { rounds += 1 }
        }
        UISystem.current?.logOnce(
            "Callbacks have changed what a \(type(of: container)) shows \(rounds) times, each in answer to the change "
                + "before; the rest is left until it changes again.")
    }
}

extension UIViewController {
    public var parent: UIViewController? { container }
    /// The view controllers in this container.
    public var children: [UIViewController] { childList.elements }

    func adopt(_ child: UIViewController) {
        checkThatItMayContain(child)
        child.removeFromParent()
        child.willMove(toParent: self)
        child.container = self
        child.parentMove = .entering
        childList.append(child)
        child.markTraits()
    }

    func leaveParent() {
        guard let parent else { return }
        parent.childList.remove(self)
        container = nil
        // Until it has disappeared, it is known why it does.
        if appearance != .disappearing { parentMove = .none }
        parent.didRemoveChild(self)
        markTraits()
        didMove(toParent: nil)
    }
}

/// What containers that show one child at a time have in common.
extension UIViewController {
    /// Stops the program if this is the view controller, or is in it.
    func checkThatItMayContain(_ controller: UIViewController) {
        for current in sequence(first: self, next: { $0.parent }) where current === controller {
            fatalError("a \(type(of: controller)) cannot be added to a \(type(of: self)) within it")
        }
    }

    /// Runs a change of the app's as a turn of its own, or as part of the present one.
    func turn<Result>(_ body: () -> Result) -> Result {
        guard let system = UISystem.current else { return body() }
        return system.turn.perform(body)
    }

    /// Loads a child's view and gives it its size, before it is added to the container's. A child
    /// that was visible with another size before gets one transition to this one.
    ///
    /// - Parameter isWanted: Whether the child is still the one to show.
    /// - Returns: The same, after what this has called.
    func prepare(_ child: UIViewController, size: CGSize, while isWanted: () -> Bool) -> Bool {
        child.loadViewIfNeeded()
        if child.appearance == .disappearing { child.endAtOnce() }
        guard isWanted() else { return false }
        child.transition(to: size)
        guard isWanted() else { return false }
        child.view.frame = CGRect(origin: .zero, size: size)
        return true
    }

    /// Takes a child's view out of the container's for another one, unless it is elsewhere already.
    func takeOut(_ child: UIViewController, _ end: AppearanceEnd = .inOrder) {
        guard let childView = child.viewIfLoaded, childView.superview === viewIfLoaded else { return }
        child.giveWay(end)
    }

    /// Gives the root view a frame in its container, in the layout pass. The controller is notified of another
    /// size, unless it has with its container.
    func fill(_ frame: CGRect) {
        guard let view = viewIfLoaded, view.frame != frame else { return }
        transition(to: frame.size)
        view.frame = frame
    }

    /// Reads the lock preference and the supported orientations again, as another view controller is visible now.
    func visibleControllerDidChange() {
        guard let scene = viewIfLoaded?.window?.windowScene else { return }
        guard let system = UISystem.current, system.engine.isBound(scene) else { return }
        // Outside of a turn it waits for the next one, as what is shown does.
        if !system.turn.phase.isInTurn {
            return system.turn.beforeLayout { [weak self] in self?.visibleControllerDidChange() }
        }
        system.displays.readLockPreference(of: scene)
        system.displays.updateOrientation(of: scene)
    }

    func replace(
        _ old: UIViewController, by new: UIViewController, _ animations: (() -> Void)?, _ completion: ((Bool) -> Void)?
    ) {
        for child in [old, new] where child.parent !== self {
            fatalError("a \(type(of: child)) that is no child of the \(type(of: self)) cannot be in its transition")
        }
        old.viewIfLoaded?.beginDisappearance()
        if let container = old.viewIfLoaded?.superview, let newView = new.view, newView.superview !== container {
            container.addSubview(newView)
        }
        animations?()
        old.giveWay()
        guard let completion else { return }
        guard let system = UISystem.current else { return completion(true) }
        system.turn.afterLayout { completion(true) }
    }
}
