import Glibc
import Settle
import SettleLog

/// All that a reader makes of a log.
struct Reading {
    /// One for all readings: it is as large as a binary log's largest chunk.
    nonisolated(unsafe) private static let batch = EventBatch()

    var header = LogHeader()
    var events: [LogEvent] = []
    /// The scenes' names by the numbers in the events.
    var names = SceneNames()
    var faults: [LogError] = []

    /// Reads to the end, past every fault.
    init(_ input: ByteInput, _ format: LogFormat?, faultsMax: Int) {
        // What is packed is the libraries' to read, and a few bytes may become gigabytes.
        input.unpackedBytesMax = 0
        do throws(LogError) {
            let reader = try LogReader(input, format: format)
            header = reader.header
            names = reader.scenes
            let batch = Self.batch
            while true {
                do throws(LogError) {
                    guard try reader.read(into: batch) else { return }
                } catch {
                    faults.append(error)
                    demand(faults.count <= faultsMax, "a reader makes progress; it stands at \(error)")
                    continue
                }
                demand(batch.count > 0, "a batch that was read has events")
                for index in 0..<batch.count { events.append(batch[index]) }
            }
        } catch {
            faults.append(error)
        }
    }

    init(_ bytes: [UInt8], _ format: LogFormat?) {
        self.init(ByteInput(bytes: bytes, name: "fuzz"), format, faultsMax: bytes.count + 2)
    }

    /// Reads what arrives piece by piece, as from a pipe.
    init(inPieces bytes: [UInt8], _ format: LogFormat) {
        self.init(Pieces.input(bytes), format, faultsMax: bytes.count + 2)
    }

    /// The events as a log of their own, read back.
    func rewritten(as format: LogFormat) -> Reading {
        do throws(LogError) {
            let output = ByteOutput(descriptor: Scratch.emptied(), name: "fuzz")
            let writer: any LogWriting =
                format == .settle
                ? try BinaryWriter(output, header: header) : try JSONLinesWriter(output, header: header)
            let batch = Self.batch
            batch.removeAll()
            for event in events {
                if batch.isFull {
                    try writer.write(batch, scenes: names)
                    batch.removeAll()
                }
                batch.append(event, at: .line(0))
            }
            try writer.write(batch, scenes: names)
            try writer.finish()
        } catch {
            demand(false, "what was read can be written: \(error)")
        }
        return Reading(Scratch.bytes, format)
    }

    /// Ends the program unless both say the same; scenes may be numbered differently.
    func demandSameEvents(_ other: Reading, _ promise: String) {
        demand(events.count == other.events.count, "\(promise): \(events.count) events, then \(other.events.count)")
        for (index, (one, two)) in zip(events, other.events).enumerated() {
            var renamed = two
            if one.kind != .pointer, two.kind == one.kind {
                let isSameScene = names[one.name] == other.names[two.name]
                demand(isSameScene, "\(promise): scene \(names[one.name]), then \(other.names[two.name])")
                renamed.name = one.name
            }
            demand(one == renamed, "\(promise): event \(index) \(one), then \(renamed)")
        }
    }
}

/// One nameless file for writers, empty whenever it is asked for.
enum Scratch {
    private static let file: Int32 = {
        guard let file = tmpfile() else { preconditionFailure("no temporary file can be had") }
        return fileno(file)
    }()

    static func emptied() -> Int32 {
        ftruncate(file, 0)
        lseek(file, 0, SEEK_SET)
        return file
    }

    static var bytes: [UInt8] {
        let length = Int(lseek(file, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            count = max(pread(file, buffer.baseAddress, length, 0), 0)
        }
    }
}

/// Bytes that arrive in pieces of lengths that they themselves determine.
enum Pieces {
    private static let piecesMax = 16

    /// A socket that keeps the borders of what was written, so that each read gives
    /// one piece.
    static func input(_ bytes: [UInt8]) -> ByteInput {
        var ends: [Int32] = [0, 0]
        let made = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        demand(made == 0, "a socket can be had")
        var rest = bytes[...]
        var mixed = bytes.reduce(UInt64(bytes.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        for piece in 1...piecesMax where !rest.isEmpty {
            mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
            let isLong = mixed & 1 == 0
            let length = piece == piecesMax ? rest.count : 1 + Int(mixed >> 33) % (isLong ? rest.count : 9)
            let written = rest.prefix(length).withUnsafeBytes { write(ends[0], $0.baseAddress, $0.count) }
            demand(written == min(length, rest.count), "a piece fits into the socket")
            rest = rest.dropFirst(length)
        }
        close(ends[0])
        return ByteInput(descriptor: ends[1], name: "fuzz", ownsDescriptor: true)
    }
}
