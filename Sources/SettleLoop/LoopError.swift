public import Settle
public import SettlePlatform

/// Why a live engine could not do what was asked.
public enum LoopError: Error, Hashable, Sendable {
    /// The system refused a call, for example because the process has no descriptor left.
    case system(SystemError)
    /// The engine that it is made with refuses its policy or its bounds.
    case engine(EngineError)
    /// A source's capacity is not a power of two from 1 to `largest`.
    case capacityOutOfRange(Int, largest: Int)
    /// `start` or `runOnce` was called before, and the engine has not stopped.
    case alreadyStarted
    /// The engine has a rebuilder. As a scene has one built size, there can be only one.
    case secondRebuilder
    /// `stop` was called. A stopped engine decides nothing and cannot be started again.
    case stopped
}

extension LoopError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .engine(let error): "\(error)"
        case .capacityOutOfRange(let capacity, let largest):
            "a source's capacity is \(capacity); it must be a power of two from 1 to \(largest)"
        case .alreadyStarted: "the engine was started before, or its host runs it"
        case .secondRebuilder:
            "the engine has a rebuilder already; a scene has one built size, so there can be only one"
        case .stopped: "the engine has stopped; make another"
        }
    }

    /// Runs a closure and wraps what the system refuses.
    static func wrap<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(LoopError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }

    /// Runs a closure and wraps what the engine refuses.
    static func wrapRefusal<Result: ~Copyable>(_ body: () throws(EngineError) -> Result) throws(LoopError) -> Result {
        do throws(EngineError) { return try body() } catch { throw .engine(error) }
    }
}
