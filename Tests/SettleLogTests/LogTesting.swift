import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// What reading a log to its end gave.
struct ReadLog {
    var header = LogHeader()
    /// Events with their scene's name (empty for a pointer event).
    var events: [(event: LogEvent, scene: String)] = []
    var positions: [LogPosition] = []
    var faults: [LogError] = []
    var notes: [String] = []
    var format: LogFormat?
    var lacksEnd = false
}

/// Reads a log to its end, past every fault.
func readLog(_ bytes: [UInt8], name: String = "test", format: LogFormat? = nil) -> ReadLog {
    readLog(ByteInput(bytes: bytes, name: name), format: format)
}

func readLog(_ input: ByteInput, format: LogFormat? = nil) -> ReadLog {
    var log = ReadLog()
    do throws(LogError) {
        let reader = try LogReader(input, format: format)
        log.format = reader.format
        log.header = reader.header
        let batch = EventBatch(recordsPositions: true)
        while true {
            do throws(LogError) {
                guard try reader.read(into: batch) else { break }
            } catch {
                log.faults.append(error)
                continue
            }
            for index in 0..<batch.count {
                let event = batch[index]
                log.events.append((event, event.kind == .pointer ? "" : reader.scenes[event.name]))
            }
            log.positions += batch.positions
        }
        log.notes = reader.notes
        log.lacksEnd = reader.lacksEnd
    } catch {
        log.faults.append(error)
    }
    return log
}

func readLog(_ text: String, name: String = "test", format: LogFormat? = nil) -> ReadLog {
    readLog(Array(text.utf8), name: name, format: format)
}

func bytes(ofFile path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// A log written in one encoding; the file's bytes.
func written(
    as format: LogFormat, header: LogHeader = LogHeader(), eventsPerChunk: Int = BinaryWriter.eventsPerChunk,
    scenes: SceneNames, _ events: [LogEvent]
) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let output = try ByteOutput(path: folder.file("log"))
    let writer: any LogWriting =
        format == .settle
        ? try BinaryWriter(output, header: header, eventsPerChunk: eventsPerChunk)
        : try JSONLinesWriter(output, header: header)
    let batch = EventBatch()
    var rest = events[...]
    while !rest.isEmpty {
        batch.removeAll()
        for event in rest.prefix(EventBatch.capacity) { batch.append(event, at: .line(0)) }
        try writer.write(batch, scenes: scenes)
        rest = rest.dropFirst(EventBatch.capacity)
    }
    try writer.finish()
    return try bytes(ofFile: folder.file("log"))
}

/// Equal events with equal scene names; the numbers of the scenes may differ.
func assertSameEvents(
    _ a: [(event: LogEvent, scene: String)], _ b: [(event: LogEvent, scene: String)], _ message: String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertEqual(a.count, b.count, message, file: file, line: line)
    for (index, (one, other)) in zip(a, b).enumerated() {
        var event = other.event
        if event.kind != .pointer { event.name = one.event.name }
        guard one.event != event || one.scene != other.scene else { continue }
        XCTFail("\(message) event \(index): \(one) is not \(other)", file: file, line: line)
        return
    }
}

let jsonHeader = #"{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"test","name":"t"}"# + "\n"
