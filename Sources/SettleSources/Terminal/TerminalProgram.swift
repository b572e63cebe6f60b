internal import CTerminal
internal import SettlePlatform

/// A program on a pseudoterminal of its own.
final class TerminalProgram {
    /// How the program is.
    enum State: Hashable, Sendable {
        case running
        case stopped
        /// With a status as a shell's `$?` has it.
        case ended(Int32)
    }

    /// The pseudoterminal's other end: what is written to it are the program's keys. Does not
    /// block.
    let descriptor: Int32
    /// Becomes readable when the program that was started has ended.
    private(set) var endDescriptor: Int32 = -1
    /// The session's leader, which exits with the program's status.
    private var leader: Int32 = -1
    /// The size that the program's terminal has.
    private(set) var size: WindowSize
    private(set) var state = State.running

    /// Makes the pseudoterminal; nothing runs yet.
    init(modes: termios, size: WindowSize) throws(SystemError) {
        descriptor = terminal_pair_open()
        if descriptor < 0 { throw .last("posix_openpt") }
        self.size = size
        var modes = modes
        // Both ends of a pseudoterminal share its modes and its size.
        tcsetattr(descriptor, TCSANOW, &modes)
        size.set(of: descriptor)
    }

    /// What is left of the program sees that its terminal has gone.
    deinit {
        close(descriptor)
        if endDescriptor >= 0 { close(endDescriptor) }
    }

    /// Starts a program, once.
    ///
    /// - Parameters:
    ///   - command: The program, which is looked for on the PATH, and its arguments; not empty.
    ///   - streams: Which of its standard streams are the pseudoterminal; it has ours besides.
    func start(_ command: [String], streams: Set<Int32>) throws(SystemError) {
        var arguments = command.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        let bits = streams.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        leader = terminal_program_start(descriptor, &arguments, bits)
        if leader < 0 { throw .last("execvp") }
        endDescriptor = try openProcess(leader)
    }

    /// What is said of a program that `start` could not start.
    static func startFailure(_ name: String, _ error: SystemError) -> SourceError {
        guard error.call == "execvp" else { return SourceError("cannot start: \(error)") }
        return SourceError("cannot start '\(name)': \(error.reason)", start: error)
    }

    /// Asks the system how the program is.
    func update() {
        var raw: Int32 = 0
        guard leader > 0, waitpid(leader, &raw, WNOHANG | WUNTRACED) == leader else { return }
        if let status = shellStatus(ofWait: raw) {
            state = .ended(status)
            leader = -1
        } else {
            state = .stopped
        }
    }

    /// Continues the program after it has stopped.
    func resume() {
        guard state == .stopped else { return }
        state = .running
        kill(leader, SIGCONT)
    }

    /// Sends a signal to the foreground process group, as a terminal does.
    func send(_ signal: Int32) {
        let group = tcgetpgrp(descriptor)
        if group > 0 { kill(-group, signal) }
    }

    /// Gives the program a size.
    func resize(to size: WindowSize) {
        self.size = size
        size.set(of: descriptor)
    }
}

extension TerminalSource {
    /// Runs a program where there is no terminal, and so no size: this process becomes it, with its standard streams.
    ///
    /// - Returns: Why it cannot.
    public static func becomeProgram(_ command: [String]) -> SourceError {
        var arguments = command.map { strdup($0) } + [nil]
        terminal_program_become(&arguments)
        let error = SystemError.last("execvp")
        for word in arguments { free(word) }
        return TerminalProgram.startFailure(command.first ?? "", error)
    }
}
