import BenchSupport
import Glibc
@_spi(Careful) import SettleLog

/// Times the reader of JSON Lines on a file, with and without its fast way for plain lines, in
/// turns. Prints a row for scripts/bench-report each; the hash is one of all events.
@main
enum JSONLinesBench {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            printError("JSONLinesBench: \(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let runs = Int(arguments[2]), runs > 0 else {
            printError("usage: JSONLinesBench CASE FILE RUNS\n")
            exit(2)
        }
        let (name, path) = (arguments[0], arguments[1])
        let ways: [(peer: String, format: LogFormat)] = [
            ("settle LogReader", .jsonl), ("settle LogReader, careful", .carefulJSONL),
        ]
        let whole = try ways.map { try hash(path, $0.format) }
        var times = ways.map { _ in [Double]() }
        for _ in 0..<runs {
            for (index, way) in ways.enumerated() {
                let start = monotonicNanoseconds()
                let count = try read(path, way.format) { _ in }
                times[index].append(Double(monotonicNanoseconds() - start) / Double(max(count, 1)))
            }
        }
        for (index, way) in ways.enumerated() {
            print(
                #"{"kind":"json","language":"Swift","case":"\#(name)","peer":"\#(way.peer)","events":\#(whole[index].count),"#
                    + #""ns":\#(median(times[index])),"runs":\#(times[index]),"hash":"\#(whole[index].hash)"}"#)
        }
    }

    private static func read(_ path: String, _ format: LogFormat, _ body: (EventBatch) -> Void) throws -> Int {
        let reader = try LogReader(path: path, format: format)
        let batch = EventBatch()
        var count = 0
        while try reader.read(into: batch) {
            count += batch.count
            body(batch)
        }
        return count
    }

    private static func hash(_ path: String, _ format: LogFormat) throws -> (count: Int, hash: String) {
        var hash = FNV1a([])
        let count = try read(path, format) { batch in
            for index in 0..<batch.count {
                withUnsafeBytes(of: batch[index]) { for byte in $0 { hash.add(UInt64(byte)) } }
            }
        }
        return (count, String(hash.value, radix: 16))
    }
}
