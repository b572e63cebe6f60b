import SettleLog
import SettlePlatform
import SettleProgram

/// Opens the files that verbs write, by the rule of `OutputFile`.
enum Outputs {
    static let force = OptionSpec.flag("force")
    static let partial = OptionSpec.flag("partial")

    /// The paragraph on output files in the verbs' help.
    static let rule = """
        An output file is never the input and never replaces a read-only file. It replaces
        an existing file only with --force, which keeps the file's mode and follows symbolic
        links.
        """

    /// Opens an output. If a signal ends the process, its incomplete file is removed.
    ///
    /// Opening a pipe blocks until it has a reader. Signals end the process meanwhile, but the
    /// first one that `EndSignal` keeps only makes the call fail.
    static func open(_ file: OutputFile) throws -> ByteOutput {
        try adding { () throws(LogError) in
            try ByteOutput(file) { create throws(LogError) in
                // No signal may arrive between the file's creation and its registration.
                var (all, before) = (sigset_t(), sigset_t())
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, &before)
                defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
                let opened = try create()
                if let temporary = opened.temporaryPath { EndSignal.remove(temporary) }
                return opened
            }
        }
    }

    /// Checks the rule before anything is opened.
    ///
    /// - Parameter hint: Added to the error for an existing file.
    static func check(_ file: OutputFile, hint: String) throws {
        try adding(hint) { () throws(LogError) in try file.check() }
    }

    /// The identity of an input; `-` is standard input.
    static func identity(_ path: String) -> FileIdentity? {
        path == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: path)
    }

    /// An input's name in messages.
    static func inputName(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Throws if standard output is redirected to the input.
    static func checkStandardOutput(_ input: FileIdentity?) throws {
        try OutputFile("-", input: input).check()
    }

    /// Adds the option that allows to replace an existing file to the error for one.
    private static func adding<Result>(
        _ hint: String = "--force replaces it", _ body: () throws(LogError) -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            guard error.kind == .io(code: EEXIST) else { throw error }
            var error = error
            error.problem += "; \(hint)"
            throw error
        }
    }
}

extension Options {
    /// Opens the log to read.
    func reader(_ path: String, interruption: Int32? = nil) throws -> LogReader {
        let format = try format()
        let input = try ByteInput(path: path, interruption: interruption)
        try Outputs.checkStandardOutput(input.file)
        return try LogReader(input, format: format)
    }
}
