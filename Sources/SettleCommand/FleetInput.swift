import Settle
import SettleLog
import SettlePlatform
import SettleReport

/// What a report of a fleet is made of: the JSON export, or the folder of Parquet tables that the Python
/// package makes one of.
enum FleetInput {
    case export(ByteInput)
    case parquet(path: String)

    /// Recognizes a fleet's file by its content, `nil` for a log.
    init?(_ path: String, _ input: ByteInput) throws {
        switch try FleetContent(input) {
        case nil: return nil
        case .export: self = .export(input)
        case .parquet: self = .parquet(path: path)
        }
    }

    /// The folder that settle-fleet writes, by the file in it that says so, or by its name.
    init?(folder path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        var name = Substring(path)
        while name.hasSuffix("/") { name.removeLast() }
        guard name.hasSuffix(".parquet") || stat("\(path)/_fleet.json", &status) == 0 else { return nil }
        self = .parquet(path: path)
    }

    /// Throws for a command line that a fleet does not go with.
    static func check(_ paths: [String], _ fleet: String, _ options: Options, _ specs: [OptionSpec], _ form: ReportForm)
        throws
    {
        if let other = paths.first(where: { $0 != fleet }) ?? (paths.count > 1 ? fleet : nil) {
            throw Failure.usage(
                "'\(fleet)' is of a fleet, and a report has one fleet or logs; give '\(other)' to another report")
        }
        if let spec = specs.first(where: { options.has($0.name) }) {
            throw Failure.usage(
                "--\(spec.name) is for logs, and '\(fleet)' is of a fleet: its sums are decided already")
        }
        guard form.name == "html" else {
            throw Failure.usage("'\(fleet)' is of a fleet, whose report is a page; write it as .html")
        }
    }

    func read() throws -> FleetExport {
        switch self {
        case .export(let input): return try FleetExport(input)
        case .parquet(let path):
            guard path != "-" else {
                throw Failure.usage("standard input is a Parquet file, which is read by its name; name the file")
            }
            return try FleetExport(ByteInput(bytes: PythonPackage.output(of: ["json", path]), name: path))
        }
    }
}
