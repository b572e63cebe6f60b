import Settle
import SettleLog
import SettleReport

/// What `settle convert` writes: a log, or a form for other programs with the decisions.
enum ConvertTarget {
    case log(LogFormat)
    case export(LogExport, Policy, FileIdentity?)

    /// The names of all targets.
    static var names: String { list(FormatOption.writable.map(\.name) + LogExport.allCases.map(\.name)) }

    /// The target that the options or a file's name choose.
    init(_ options: Options, _ path: String) throws {
        guard let export = try Self.export(options, path) else {
            self = .log(try Self.logFormat(options, path, exports: LogExport.allCases))
            let others = PolicyOptions.specs.map(\.name).filter(options.has)
            if let option = others.first {
                throw Failure.usage(
                    "--\(option) is for \(LogExport.allCases.map(\.name).joined(separator: " and "));"
                        + " a log has no decisions")
            }
            return
        }
        let (policy, file) = try options.policyAndFile()
        self = .export(export, policy, file)
    }

    /// The file with the policy, which is an input.
    var policyFile: FileIdentity? {
        if case .export(_, _, let file) = self { return file }
        return nil
    }

    /// A writer whose beginning is already in the output.
    func makeWriter(_ output: ByteOutput, _ reader: LogReader) throws(LogError) -> any LogWriting {
        switch self {
        case .log(let format): try format.makeWriter(output, header: reader.header)
        case .export(let export, let policy, _):
            try export.makeWriter(output, LogExportInput(log: reader.name, header: reader.header, policy: policy))
        }
    }

    private static func export(_ options: Options, _ path: String) throws -> LogExport? {
        guard let name = options.value("to") else { return LogExport.allCases.first { $0.matches(path: path) } }
        return LogExport(named: name)
    }

    /// The encoding that the options or a file's name choose.
    ///
    /// - Parameters:
    ///   - options: The verb's options, with `to`.
    ///   - path: The output.
    ///   - exports: What the verb can write besides logs.
    static func logFormat(_ options: Options, _ path: String, exports: [LogExport]) throws -> LogFormat {
        let names = FormatOption.writable.map(\.name) + exports.map(\.name)
        if let name = options.value("to") {
            if let format = FormatOption.writable.first(where: { $0.name == name }) { return format }
            let isKnown = LogFormat(named: name) != nil
            let guess = closest(to: name, among: names)
            throw Failure.usage(
                "--to is '\(name)'; logs can be written as \(list(names))"
                    + (isKnown ? "" : guess.map { "; did you mean '\($0)'?" } ?? ""))
        }
        if let format = FormatOption.writable.first(where: { $0.matches(path: path) }) { return format }
        let extensions = FormatOption.writable.compactMap(\.fileExtension) + exports.map(\.fileExtension)
        throw Failure.usage(
            "'\(path)' has no extension of an encoding; use \(list(extensions.map { "." + $0 })), or --to")
    }

    /// `a, b or c`.
    private static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
