package import Settle
package import SettleLog

/// Logs and the policy to decide them by.
package struct Report {
    /// The logs, in the order in which they are shown.
    package var logs: [ReportLog]
    /// The policy that the report begins with.
    package var policy: Policy

    package init(_ logs: [ReportLog], policy: Policy) {
        self.logs = logs
        self.policy = policy
    }
}

/// A form of a report. To add one, write it in a file of its own and add a row to `allCases`.
package struct ReportForm: Sendable {
    /// The name in options and messages.
    package let name: String
    /// The file name extensions, without the dot, that select the form.
    package let fileExtensions: [String]
    /// Writes a report, and leaves the output to be finished.
    package let write: @Sendable (Report, ByteOutput) throws(LogError) -> Void

    /// Every form. The first is that of standard output.
    package static let allCases: [ReportForm] = [
        ReportForm(name: "html", fileExtensions: ["html", "htm"]) { report, output throws(LogError) in
            try PageData(report).write(to: output)
        },
        ReportForm(name: "svg", fileExtensions: ["svg"]) { report, output throws(LogError) in
            try output.write(Overview(report).svg)
        },
    ]

    /// The form of this name, `nil` if there is none.
    package init?(named name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Whether a file's name has one of the form's extensions.
    package func matches(path: String) -> Bool { fileExtensions.contains { path.hasSuffix("." + $0) } }

    private init(
        name: String, fileExtensions: [String],
        write: @escaping @Sendable (Report, ByteOutput) throws(LogError) -> Void
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.write = write
    }
}
