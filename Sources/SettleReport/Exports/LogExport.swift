package import Settle
package import SettleLog

/// A form for other programs, which `settle convert` writes: a log with the decisions about it.
///
/// To add one, write its writer in a file of its own and add a row to `allCases`; options, help and
/// messages follow from it.
package struct LogExport: Sendable {
    /// The name in options and messages.
    package let name: String
    /// The file name extension, without the dot, that selects the form. It wins over that of a log.
    package let fileExtension: String
    private let make: @Sendable (ByteOutput, LogExportInput) throws(LogError) -> any LogWriting

    package static let allCases: [LogExport] = [
        LogExport(name: "trace", fileExtension: "trace.json") { output, input throws(LogError) in
            try TraceWriter(output, input)
        },
        LogExport(name: "csv", fileExtension: "csv") { output, input throws(LogError) in
            try CSVWriter(output, input)
        },
    ]

    /// The form of this name, `nil` if there is none.
    package init?(named name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Whether a file's name has the form's extension.
    package func matches(path: String) -> Bool { path.hasSuffix("." + fileExtension) }

    /// A writer whose beginning is already in the output. It decides a log's events as it writes
    /// them, and `finish` decides what is pending at the log's end.
    ///
    /// - Throws: `.io` when writing fails.
    package func makeWriter(_ output: ByteOutput, _ input: LogExportInput) throws(LogError) -> any LogWriting {
        try make(output, input)
    }

    private init(
        name: String, fileExtension: String,
        make: @escaping @Sendable (ByteOutput, LogExportInput) throws(LogError) -> any LogWriting
    ) {
        self.name = name
        self.fileExtension = fileExtension
        self.make = make
    }
}

/// What is exported.
package struct LogExportInput {
    /// The log's name, as it was given.
    package var log: String
    /// The log's metadata.
    package var header: LogHeader
    /// The policy to decide it by, valid.
    package var policy: Policy

    package init(log: String, header: LogHeader, policy: Policy) {
        self.log = log
        self.header = header
        self.policy = policy
    }

    /// The log's steps.
    ///
    /// - Throws: `.malformed` for a policy that no engine accepts.
    func steps() throws(LogError) -> LogSteps {
        do throws(EngineError) {
            return try LogSteps(policy: policy, log: log)
        } catch {
            throw LogError(.malformed, file: log, "\(error)")
        }
    }
}
