#if canImport(Glibc)
    internal import Glibc
#endif

/// What the system refused to the event loop.
public struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
    public var call: String
    public var problem: String

    public var description: String { "the event loop: \(call): \(problem)" }

    package init(call: String, problem: String) {
        self.call = call
        self.problem = problem
    }

    /// What the system said about the last call.
    package static func system(_ call: String, code: Int32 = errno) -> LoopError {
        let hint = code == EMFILE ? "; close some, or raise the limit (ulimit -n)" : ""
        return LoopError(call: call, problem: String(cString: strerror(code)) + hint)
    }
}
