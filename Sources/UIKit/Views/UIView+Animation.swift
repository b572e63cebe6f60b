extension UIView {
    /// How an animation runs. There are no animations, so options change nothing. The raw
    /// values are Apple's.
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        /// The options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Lays out subviews with their superview.
        public static let layoutSubviews = AnimationOptions(rawValue: 1 << 0)
        /// A person may touch views meanwhile.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// Begins with what is shown.
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        /// One view fades into the other.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        /// A view turns over, from its left side.
        public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
        /// A view turns over, from its right side.
        public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
        /// Slow at both ends.
        public static let curveEaseInOut: AnimationOptions = []
    }

    /// Runs the closure at once: there are no animations.
    ///
    /// - Parameters:
    ///   - duration: Changes nothing, in seconds.
    ///   - delay: Changes nothing, in seconds.
    ///   - options: Change nothing.
    ///   - animations: What changes views.
    ///   - completion: Runs after the layout, with true.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        guard let system = UISystem.current else {
            animations()
            completion?(true)
            return
        }
        system.turn.perform {
            animations()
            if let completion { system.turn.afterLayout { completion(true) } }
        }
    }

    /// The same without a delay.
    ///
    /// - Parameters:
    ///   - duration: Changes nothing, in seconds.
    ///   - animations: What changes views.
    ///   - completion: Runs after the layout, with true.
    public class func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) { animate(withDuration: duration, delay: 0, animations: animations, completion: completion) }

    /// The same for a transition in a view.
    ///
    /// - Parameters:
    ///   - view: Changes nothing.
    ///   - duration: Changes nothing, in seconds.
    ///   - options: Change nothing.
    ///   - animations: What changes views.
    ///   - completion: Runs after the layout, with true.
    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) { animate(withDuration: duration, delay: 0, animations: { animations?() }, completion: completion) }

    /// Runs the closure.
    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }
}
