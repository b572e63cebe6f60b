/// What an engine refuses.
public enum EngineError: Error, Hashable, Sendable {
    /// A policy's duration is negative, or longer than `most`, `Policy.longestDelay`.
    case durationOutOfRange(name: String, value: Duration, most: Duration)
    /// A bound of the engine is not within its range.
    case boundOutOfRange(name: String, value: Int, allowed: ClosedRange<Int>)
    /// `scenesMax` scenes are connected.
    case tooManyScenes(Int)
    /// Connected scenes have `policiesMax` different policies, the engine's own included.
    case tooManyPolicies(Int)
    /// The scene is not connected to this engine.
    case unknownScene(SceneID)
    /// The live engine has stopped. An `Engine` does not stop.
    case stopped
}

extension EngineError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .durationOutOfRange(let name, let value, let most):
            "\(name) is \(EngineError.exact(value)); it must be from 0 ns to \(EngineError.exact(most))"
        case .boundOutOfRange(let name, let value, let allowed):
            "\(name) is \(value); it must be from \(allowed.lowerBound) to \(allowed.upperBound)"
        case .tooManyScenes(let count):
            "\(count) \(count == 1 ? "scene is" : "scenes are") connected already; disconnect some, or make the engine with a larger scenesMax"
        case .tooManyPolicies(let count):
            "\(count) \(count == 1 ? "policy is" : "policies are") in use already; share policies between scenes, or raise policiesMax"
        case .unknownScene(let scene):
            "\(scene) is not connected; it may have disconnected, or belong to another engine"
        case .stopped: "the engine has stopped; make another"
        }
    }

    /// A duration in whole nanoseconds, or attoseconds where it has a fraction, so that one just
    /// outside a range reads differently from the bound.
    private static func exact(_ duration: Duration) -> String {
        let (nanoseconds, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? "\(nanoseconds) ns" : "\(duration.attoseconds) as"
    }
}

/// Why an engine rejected an event. A rejected event changes nothing but a counter.
public enum Rejection: Error, Hashable, Sendable, CaseIterable {
    /// A width or height is NaN, infinite or negative.
    case size
    /// The scene is unknown, or it disconnected.
    case scene
    /// The kind is unknown, the time is later than `Timestamp.latest`, or one button too
    /// many is held.
    case event
}

extension Rejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .size: "a width or height is not finite or negative"
        case .scene: "the scene is not connected"
        case .event: "the event's kind or time is out of range, or too many buttons are held"
        }
    }
}
