/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name, such as `socket`.
    public var call: String
    /// The system's number for the reason, as in `errno`.
    public var code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The call and the system's text for the code.
    public var description: String {
        let hint = code == EMFILE ? "; close some, or raise the limit (ulimit -n)" : ""
        return "\(call): \(reason)\(hint)"
    }

    /// The system's text for the code.
    package var reason: String { String(cString: strerror(code)) }

    /// The reason why the thread's last system call failed, by `errno`.
    package static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }
}

extension SystemError {
    /// Whether the process, the user or the system has no room for further descriptors.
    package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE || code == ETOOMANYREFS }

    /// Whether the call would have had to wait.
    package var isAgain: Bool { code == EAGAIN }
}
