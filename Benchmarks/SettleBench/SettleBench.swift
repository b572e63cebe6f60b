import BenchSupport
import Glibc
import SettleLog

/// Measures the rows of the README's table. Each row proves its work by a hash of the
/// decisions or of the bytes that were written.
@main
enum SettleBench {
    static let help = """
        usage: SettleBench [--events N] [--runs N] [--json FILE] [--recording LOG] [--rows FILE]

        Makes a log of N events (10000000), then times the command on one core: JSON
        Lines to binary, and the replay of the binary log. Prints medians of --runs (5).
        Also times reading and deciding that log, and LOG repeated to N events, beside the
        core alone on the same events in memory; --rows appends these as JSON Lines.
        """

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            printError("SettleBench: \(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var events = 10_000_000
        var runs = 5
        var files: [String: String] = [:]
        var words = arguments[...]
        while let word = words.popFirst() {
            if word == "--help" {
                print(help)
                return
            }
            guard ["--events", "--runs", "--json", "--recording", "--rows"].contains(word), let value = words.popFirst()
            else {
                throw BenchError(description: "'\(word)' is not an option; see --help")
            }
            if word != "--events", word != "--runs" {
                files[word] = value
                continue
            }
            guard let number = Int(value), number > 0 else {
                throw BenchError(description: "\(word) needs a number above 0")
            }
            if word == "--events" { events = number } else { runs = number }
        }
        try measure(events: events, runs: runs, files)
    }

    private static func measure(events: Int, runs: Int, _ options: [String: String]) throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(parent)/settle-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError(description: "cannot make a folder in \(parent)") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let files = [
            "log.jsonl", "log.settle", "copy.settle", "out", "jsonl.decisions", "settle.decisions", "repeated",
        ].map {
            "\(folder)/\($0)"
        }
        defer {
            for file in files { unlink(file) }
            rmdir(folder)
        }
        try SyntheticLog.write(events: events, jsonl: files[0], binary: files[1])
        let settle = try settlePath()

        let convert = try repeated(runs) {
            try runProcess([settle, "convert", "--force", files[0], files[2]], outputPath: files[3])
        }
        guard fileSize(files[1]) == fileSize(files[2]) else {
            throw BenchError(description: "the converted log differs from the one that was written")
        }
        let replay = try repeated(runs) {
            try runProcess([settle, "replay", "--json", files[1]], outputPath: files[3])
        }
        _ = try runProcess([settle, "replay", "--decisions", files[4], files[0]], outputPath: files[3])
        _ = try runProcess([settle, "replay", "--decisions", files[5], files[1]], outputPath: files[3])
        let decisions = try (text(ofFile: files[4]), text(ofFile: files[5]))
        guard decisions.0 == decisions.1, !decisions.0.isEmpty else {
            throw BenchError(description: "the two encodings decide differently")
        }

        let rows = [
            Row("convert JSON Lines to binary", events: events, runs: convert),
            Row("replay a binary log at --rate max", events: events, runs: replay),
        ]
        let bytes = Double(fileSize(files[1])) / Double(events)
        print("| work, one core, \(grouped(events)) events | million events/s | peak memory |\n|---|---|---|")
        for row in rows { print("| \(row.name) | \(row.rateText) | \(row.peakMemory / 1_000_000) MB |") }
        print(
            "\n\(Double(Int(bytes * 100)) / 100) bytes per event; decisions \(String(FNV1a(decisions.0.utf8).value, radix: 16))"
        )
        if let json = options["--json"] { try writeJSON(rows, events: events, to: json) }

        var ratios = [try ReplayRatio.measure("drags of 8 scenes", path: files[1], runs: runs)]
        if let recording = options["--recording"] {
            try RepeatedLog.write(recording, events: events, to: files[6])
            let name = recording.split(separator: "/").last?.split(separator: ".").first ?? "recording"
            ratios.append(try ReplayRatio.measure("\(name) repeated", path: files[6], runs: runs))
        }
        try report(ratios, rows: options["--rows"])
    }

    private static func report(_ ratios: [ReplayRatio], rows: String?) throws {
        func fixed(_ value: Double) -> String { "\(Double(Int(value * 100)) / 100)" }
        print("\n| a binary log, ns per event | core alone | read and decide | with baselines |\n|---|---|---|---|")
        for row in ratios {
            print(
                "| \(row.name) | \(fixed(row.core)) | \(fixed(row.replay)) (\(fixed(row.ratio))×)"
                    + " | \(fixed(row.withBaselines)) (\(fixed(row.baselinesRatio))×) |")
        }
        guard let rows else { return }
        guard let file = fopen(rows, "a") else { throw BenchError(description: "cannot write \(rows)") }
        for row in ratios { fputs(row.json + "\n", file) }
        guard fclose(file) == 0 else { throw BenchError(description: "cannot write \(rows)") }
    }

    struct Row {
        var name: String
        var eventsPerSecond: Double
        var peakMemory: Int

        init(_ name: String, events: Int, runs: [ProcessRun]) {
            self.name = name
            eventsPerSecond = Double(events) / median(runs.map(\.seconds))
            peakMemory = runs.map(\.peakMemory).max() ?? 0
        }

        var rateText: String { "\(Double(Int(eventsPerSecond / 1e4)) / 100)" }
    }

    private static func repeated(_ runs: Int, _ run: () throws -> ProcessRun) throws -> [ProcessRun] {
        try (0..<runs).map { _ in try run() }
    }

    /// The command that was built beside this program.
    private static func settlePath() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { throw BenchError(description: "cannot find the path of this program") }
        let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/settle"
    }

    private static func grouped(_ count: Int) -> String {
        let digits = String(count)
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }

    private static func writeJSON(_ rows: [Row], events: Int, to path: String) throws {
        let parts = rows.map {
            #"{"name":"\#($0.name)","events_per_second":\#($0.eventsPerSecond),"peak_memory_bytes":\#($0.peakMemory)}"#
        }
        guard let file = fopen(path, "w") else { throw BenchError(description: "cannot write \(path)") }
        fputs(#"{"events":\#(events),"rows":[\#(parts.joined(separator: ","))]}"# + "\n", file)
        guard fclose(file) == 0 else { throw BenchError(description: "cannot write \(path)") }
    }
}
