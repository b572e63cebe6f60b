internal import CPlatform

/// A program that this process has started. One thread at a time.
package final class ChildProcess {
    /// Its number, valid until `exitStatus` has returned a status.
    package let process: Int32
    /// A descriptor that becomes readable when the program has ended, closed with this object.
    package let descriptor: Int32
    private var status: Int32?

    /// Starts a program with no signal blocked, every signal's default action, and this process's
    /// standard streams.
    ///
    /// - Parameters:
    ///   - command: The program, which is looked for on the PATH, and its arguments; not empty.
    ///   - environment: Variables that it has besides those of this process, or instead of them.
    ///   - output: A descriptor of this process that is its standard output, if not this process's own.
    /// - Throws: With the call `posix_spawnp` if there is no such program, or it cannot be started.
    package init(
        _ command: [String], environment: [String: String] = [:], output: Int32? = nil
    ) throws(SystemError) {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = Self.variables(environment) + [nil]
        defer { for word in arguments + variables { free(word) } }
        var process: Int32 = 0
        let result = posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &variables)
        guard result == 0 else { throw SystemError(call: "posix_spawnp", code: result) }
        descriptor = settle_pidfd_open(process)
        if descriptor < 0 {
            let error = SystemError.last("pidfd_open")
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            throw error
        }
        // Last: with all properties set, `deinit` also runs when an initializer throws.
        self.process = process
    }

    deinit { close(descriptor) }

    /// The environment of this process with changes, allocated by `strdup`.
    private static func variables(_ changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
        var result: [UnsafeMutablePointer<CChar>?] = changes.map { strdup("\($0)=\($1)") }
        guard var next = settle_environment() else { return result }
        while let variable = next.pointee {
            next += 1
            let name = String(cString: variable).prefix { $0 != "=" }
            if changes[String(name)] == nil { result.append(strdup(variable)) }
        }
        return result
    }

    /// How the program ended, as a shell's `$?` has it: its status, or 128 and the number of the
    /// signal that ended it; `nil` while it runs.
    package func exitStatus() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(process, &raw, WNOHANG) == process else { return nil }
        status = shellStatus(ofWait: raw)
        return status
    }

    /// Waits for its end, and returns how it ended.
    package func waitForExit() -> Int32 {
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            if let status = exitStatus() { return status }
            poll(&end, 1, -1)
        }
    }

    /// Sends the program a signal, unless it has ended.
    package func send(_ signal: Int32) { if status == nil { kill(process, signal) } }
}

/// How a process ended, as a shell's `$?` has it: its status, or 128 and the number of the signal
/// that ended it.
///
/// - Parameter raw: What `waitpid` stored; `nil` is returned if the process has only stopped.
package func shellStatus(ofWait raw: Int32) -> Int32? {
    let signal = raw & 0x7f
    if signal == 0x7f { return nil }
    return signal == 0 ? raw >> 8 & 0xff : 128 + signal
}

/// A descriptor that becomes readable when a process has ended, which the caller closes.
package func openProcess(_ process: Int32) throws(SystemError) -> Int32 {
    let descriptor = settle_pidfd_open(process)
    if descriptor < 0 { throw .last("pidfd_open") }
    return descriptor
}

/// From now on, programs whose parents end become children of this process.
package func adoptDescendants() { _ = settle_adopt_descendants() }

/// Whether this process has children. Forgets those that have ended, whose statuses nobody asks
/// for afterwards.
package func hasChildren() -> Bool {
    while true {
        let process = waitpid(-1, nil, WNOHANG)
        if process <= 0 { return process == 0 }
    }
}
