import Settle
import SettleLog

@testable import SettleSources

/// A Wayland connection, whatever its two sides send: it is followed or given up once. Nothing of it
/// stays open behind its end, and it makes no difference where its messages are split.
enum WaylandJudge {
    static func run(_ bytes: [UInt8]) {
        let whole = decode(bytes, splits: false)
        demand(whole == decode(bytes, splits: true), "a split message is read as a whole one")
        var open: Set<String> = []
        var messages = 0
        for line in whole {
            switch line.what {
            case .begins: open.insert(line.name)
            case .ends: demand(open.remove(line.name) != nil, "what ends has begun: \(line.name)")
            case .said: messages += 1
            case .titled: break
            }
        }
        demand(open.isEmpty, "nothing stays open: \(open)")
        demand(messages <= 2, "a connection is given up once, and has too many windows once")
    }

    private struct Line: Equatable {
        enum What { case begins, ends, titled, said }
        let what: What
        let name: String
        var size: Size?
        var isResizing: Bool?
    }

    /// The input is a sequence of chunks: a byte whose lowest bit is the sender, a quarter of the
    /// length, and the bytes.
    private static func decode(_ bytes: [UInt8], splits: Bool) -> [Line] {
        let reports = WaylandReports(app: "app")
        let decoder = WaylandDecoder(client: 1, reports: reports)
        let batch = EventBatch.forStream()
        var events: [Line] = []
        var rest = bytes[...]
        while rest.count >= 2 {
            let sender: WaylandDecoder.Sender = rest.first! & 1 == 0 ? .client : .compositor
            let chunk = rest.dropFirst(2).prefix(Int(rest.dropFirst().first!) * 4)
            // A byte that is not sent is not read: each piece is memory of its own.
            for piece in splits ? chunk.map({ [$0] }) : [Array(chunk)] {
                piece.withUnsafeBytes { decoder.decode($0, from: sender) }
            }
            rest = rest.dropFirst(2 + chunk.count)
            take(reports, batch, &events)
        }
        decoder.finish()
        take(reports, batch, &events)
        return events
    }

    private static func line(_ event: LogEvent, _ reports: WaylandReports) -> Line {
        switch event.kind {
        case .pointer: Line(what: event.isPressed ? .begins : .ends, name: "button \(event.button)")
        case .disconnect: Line(what: .ends, name: reports.scenes[event.name])
        default:
            Line(
                what: .begins, name: reports.scenes[event.name], size: event.size,
                isResizing: event.isInteractivelyResizing)
        }
    }

    private static func take(_ reports: WaylandReports, _ batch: EventBatch, _ lines: inout [Line]) {
        while !reports.isEmpty {
            batch.removeAll()
            reports.move(into: batch)
            for index in 0..<batch.count { lines.append(line(batch[index], reports)) }
        }
        for news in reports.takeNews() {
            switch news {
            case .title(_, let title): lines.append(Line(what: .titled, name: title))
            case .message(let message): lines.append(Line(what: .said, name: message))
            case .ended: demand(false, "a decoder does not end")
            }
        }
    }
}
