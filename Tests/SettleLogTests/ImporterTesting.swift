import Foundation
import Settle
import XCTest

@testable import SettleLog

/// All that a reader makes of a log, in short text.
struct Imported {
    var events: [String] = []
    var times: [UInt64] = []
    var positions: [LogPosition] = []
    var faults: [LogError] = []
    var notes: [String] = []
}

/// Reads a log to its end. More faults than bytes mean that a reader stands still.
func drain(_ reader: any FormatReader, faultsMax: Int = 100_000, line: UInt = #line) -> Imported {
    var imported = Imported()
    let batch = EventBatch(recordsPositions: true)
    var isAtEnd = false
    while !isAtEnd {
        batch.removeAll()
        do {
            isAtEnd = try !reader.read(into: batch)
        } catch {
            imported.faults.append(error)
        }
        for index in 0..<batch.count {
            imported.events.append(describe(batch[index], reader.scenes))
            imported.times.append(batch[index].at.nanoseconds)
            imported.positions.append(batch.positions[index])
        }
        guard imported.faults.count <= faultsMax else {
            XCTFail("the reader makes no progress", line: line)
            break
        }
    }
    imported.notes = reader.notes
    return imported
}

/// For example `geometry xdg_toplevel@10 400×300`.
func describe(_ event: LogEvent, _ scenes: SceneNames) -> String {
    switch event.kind {
    case .geometry:
        let flag = event.isInteractivelyResizing.map { $0 ? " resizing" : " at rest" } ?? ""
        return "geometry \(scenes[event.name]) \(event.size?.description ?? "-")\(flag)"
    case .connect, .disconnect, .finished, .previewed: return "\(event.kind) \(scenes[event.name])"
    case .pointer: return "pointer \(event.button) \(event.isPressed ? "down" : "up")"
    }
}

/// An event as the answer of a case has it.
func drawn(_ event: LogEvent, scene: String) -> String {
    var words = ["@\(event.at.nanoseconds)ns"]
    if event.kind == .pointer { return "\(words[0]) \(event.isPressed ? "press" : "release") \(event.button)" }
    let escaped = scene.unicodeScalars.map { scalar in
        scalar.value < 32 ? String(format: "\\x%02x", scalar.value) : scalar == "\\" ? "\\\\" : String(scalar)
    }
    words.append("\"\(escaped.joined())\"")
    if [.connect, .disconnect].contains(event.kind) { words.append("\(event.kind)") }
    if let build = event.build { words += ["finished", "\(build.generation)", "\(build.cost.wholeNanoseconds)ns"] }
    if let work = event.work {
        words +=
            ["previewed", "\(work.generation)", "\(work.cost.wholeNanoseconds)ns"] + (work.isKept ? [] : ["givenUp"])
    }
    if let size = event.size { words.append(String(format: "%.17gx%.17g", size.width, size.height)) }
    if let flag = event.isInteractivelyResizing { words.append(flag ? "resizing" : "still") }
    if let flag = event.isInterfaceOrientationLocked { words.append(flag ? "locked" : "unlocked") }
    if let orientation = event.orientation { words.append("\(orientation)") }
    return words.joined(separator: " ")
}

/// A small generator with a seed, so that a failure can be repeated.
struct SeededBytes {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func noise(count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(next(below: 256)) } }

    /// The log with some bytes replaced, removed or doubled, and perhaps cut.
    mutating func damaged(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<(1 + next(below: 6)) where !bytes.isEmpty {
            let index = next(below: bytes.count)
            switch next(below: 4) {
            case 0: bytes[index] = UInt8(next(below: 256))
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes.removeLast(next(below: bytes.count + 1) / 4)
            }
        }
        return bytes
    }
}

/// Feeds a reader noise and damaged copies of a good log: it must neither crash nor
/// stand still, nor make more events than so many bytes can hold.
func survive(
    _ good: [UInt8], seed: UInt64, rounds: Int, line: UInt = #line,
    _ make: (ByteInput) throws -> any FormatReader
) {
    var bytes = SeededBytes(state: seed)
    for round in 0..<rounds {
        let input = round % 3 == 0 ? bytes.noise(count: bytes.next(below: 400)) : bytes.damaged(good)
        guard let reader = try? make(ByteInput(bytes: input, name: "damaged")) else { continue }
        let imported = drain(reader, faultsMax: input.count + 2, line: line)
        XCTAssertLessThanOrEqual(
            imported.events.count, input.count / 16 + 2, "seed \(seed), round \(round)", line: line)
    }
}

extension ByteInput {
    convenience init(_ text: String) { self.init(bytes: Array(text.utf8), name: "test") }

    /// Hands out the text in pieces, as a pipe does.
    static func pipe(_ text: String) -> ByteInput { pipe(Array(text.utf8)) }

    /// The same for few enough bytes that a pipe holds them.
    static func pipe(_ bytes: [UInt8], name: String = "pipe") -> ByteInput {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(bytes))
        try? pipe.fileHandleForWriting.close()
        return ByteInput(descriptor: dup(pipe.fileHandleForReading.fileDescriptor), name: name, ownsDescriptor: true)
    }

    /// Hands out so many bytes a read.
    static func pieces(_ bytes: [UInt8], of count: Int, name: String) -> ByteInput {
        pieces(stride(from: 0, to: bytes.count, by: count).map { bytes[$0...].prefix(count) }, name: name)
    }

    static func pieces(_ pieces: [String]) -> ByteInput {
        self.pieces(pieces.map { Array($0.utf8)[...] }, name: "pieces")
    }

    /// Hands out one piece a read: a socket of this kind keeps the borders of writes.
    private static func pieces(_ pieces: [ArraySlice<UInt8>], name: String) -> ByteInput {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends), 0)
        for piece in pieces {
            XCTAssertEqual(piece.withUnsafeBytes { write(ends[0], $0.baseAddress, $0.count) }, piece.count)
        }
        close(ends[0])
        return ByteInput(descriptor: ends[1], name: name, ownsDescriptor: true)
    }
}
