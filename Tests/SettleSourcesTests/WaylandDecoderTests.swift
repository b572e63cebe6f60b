import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSources

final class WaylandDecoderTests: XCTestCase {
    /// A decoder, and what it has reported, as text.
    private final class Session {
        let reports = WaylandReports(app: "app")
        let decoder: WaylandDecoder
        private(set) var log: [String] = []
        private let batch = EventBatch()

        init() { decoder = WaylandDecoder(client: 1, reports: reports) }

        func decode(_ bytes: WaylandBytes, from sender: WaylandDecoder.Sender) {
            decode(bytes.bytes[...], from: sender)
        }

        func decode(_ bytes: ArraySlice<UInt8>, from sender: WaylandDecoder.Sender) {
            bytes.withUnsafeBytes { decoder.decode($0, from: sender) }
            take()
        }

        /// Sends what the closure writes.
        func compositor(_ write: (inout WaylandBytes) -> Void) { send(.compositor, write) }
        func client(_ write: (inout WaylandBytes) -> Void) { send(.client, write) }

        private func send(_ sender: WaylandDecoder.Sender, _ write: (inout WaylandBytes) -> Void) {
            var bytes = WaylandBytes()
            write(&bytes)
            decode(bytes, from: sender)
        }

        func finish() {
            decoder.finish()
            take()
        }

        private func take() {
            while !reports.isEmpty {
                batch.removeAll()
                reports.move(into: batch)
                for index in 0..<batch.count { log.append(text(batch[index])) }
            }
            for news in reports.takeNews() {
                switch news {
                case .title(let scene, let title): log.append("\(reports.scenes[scene]) titled \(title)")
                case .message(let text): log.append("message: \(text)")
                case .ended: XCTFail("a decoder does not end")
                }
            }
        }

        private func text(_ event: LogEvent) -> String {
            switch event.kind {
            case .pointer: return "\(event.button) \(event.isPressed ? "pressed" : "released")"
            case .connect, .finished, .previewed: return "\(event.kind)"
            case .disconnect: return "\(reports.scenes[event.name]) gone"
            case .geometry:
                let size = event.size!
                let isResizing = event.isInteractivelyResizing! ? " resizing" : ""
                return "\(reports.scenes[event.name]) \(Int(size.width))×\(Int(size.height))\(isResizing)"
            }
        }

        var messages: [String] { log.filter { $0.hasPrefix("message") } }
    }

    /// A session whose client has a window.
    private func session() -> Session {
        let session = Session()
        session.decode(.client, from: .client)
        XCTAssertEqual(session.log, [])
        return session
    }

    private static var events: WaylandBytes {
        var bytes = WaylandBytes()
        bytes.add(2, 0, .word(1), .string("wl_compositor"), .word(4))
        bytes.configure(0, 0)
        bytes.add(7, 0, .word(77))
        bytes.button(isPressed: true)
        bytes.configure(640, 480, [4, 3])
        bytes.configure(641, 481, [3, 4])
        bytes.button(isPressed: false)
        bytes.configure(641, 481, [4])
        return bytes
    }

    private static let expected = [
        "editor 1:8 0×0", "272 pressed", "editor 1:8 640×480 resizing", "editor 1:8 641×481 resizing", "272 released",
        "editor 1:8 641×481", "editor 1:8 titled a.txt", "editor 1:8 gone",
    ]

    func testAWindowIsFollowed() {
        let session = session()
        session.decode(Self.events, from: .compositor)
        session.finish()
        XCTAssertEqual(session.log, Self.expected)
    }

    func testMessagesMayBeSplitAnywhere() {
        let client = WaylandBytes.client.bytes
        let events = Self.events.bytes
        for cut in 0...max(client.count, events.count) {
            let session = Session()
            session.decode(client.prefix(cut), from: .client)
            session.decode(client.dropFirst(cut), from: .client)
            session.decode(events.prefix(cut), from: .compositor)
            session.decode(events.dropFirst(cut), from: .compositor)
            session.finish()
            XCTAssertEqual(Set(session.log), Set(Self.expected), "cut at \(cut)")
            XCTAssertEqual(session.log.count, Self.expected.count, "cut at \(cut)")
        }
        let session = Session()
        for byte in client { session.decode([byte], from: .client) }
        for byte in events { session.decode([byte], from: .compositor) }
        session.finish()
        XCTAssertEqual(session.log.filter { !$0.contains("titled") }, Self.expected.filter { !$0.contains("titled") })
    }

    func testTheNameIsTheAppIDElseTheTitleElseTheApp() {
        func name(_ write: (inout WaylandBytes) -> Void) -> String? {
            let session = Session()
            var client = WaylandBytes()
            client.add(1, 1, .word(2))
            client.add(2, 0, .word(2), .string("xdg_wm_base"), .word(3), .word(4))
            client.add(4, 2, .word(7), .word(9))
            client.add(7, 1, .word(8))
            write(&client)
            session.decode(client, from: .client)
            session.compositor { $0.configure(1, 1) }
            return session.log.first
        }
        XCTAssertEqual(name { $0.add(8, 2, .string("title")) }, "title 1:8 1×1")
        XCTAssertEqual(name { _ in }, "app 1:8 1×1")
        XCTAssertEqual(name { $0.add(8, 3, .string("id")) }, "id 1:8 1×1")
        XCTAssertEqual(
            name { $0.add(8, 3, .string(String(repeating: "é", count: 5000))) },
            String(repeating: "é", count: 128) + " 1:8 1×1")
    }

    func testATitleIsNewsOnlyWhenItChanges() {
        let session = session()
        session.compositor { $0.configure(1, 1) }
        session.client {
            $0.add(8, 2, .string("a.txt"))
            $0.add(8, 2, .string("b.txt"))
        }
        XCTAssertEqual(session.log, ["editor 1:8 1×1", "editor 1:8 titled a.txt", "editor 1:8 titled b.txt"])
        // Before a window has a size, its last title counts.
        let other = self.session()
        other.client {
            $0.add(8, 2, .string("a.txt"))
            $0.add(8, 2, .string("b.txt"))
        }
        other.compositor { $0.configure(1, 1) }
        XCTAssertEqual(other.log, ["editor 1:8 1×1", "editor 1:8 titled b.txt"])
    }

    func testAWindowIsGoneOnceItIsDestroyedOrItsNumberIsFree() {
        let session = session()
        session.compositor { $0.configure(1, 1) }
        session.client { $0.add(8, 0) }
        session.compositor {
            $0.configure(2, 2)
            $0.add(1, 1, .word(8))
        }
        XCTAssertEqual(session.log.filter { !$0.contains("titled") }, ["editor 1:8 1×1", "editor 1:8 gone"])
        // The number belongs to something else now, whose messages look like a window's.
        session.compositor { $0.configure(3, 3) }
        session.client { $0.add(7, 1, .word(8)) }
        session.compositor { $0.configure(4, 4) }
        session.finish()
        XCTAssertEqual(session.log.suffix(2), ["app 1:8 4×4", "app 1:8 gone"])
    }

    func testAGrabAndALeavingPointerReleaseTheButtons() {
        for end in ["leave", "move", "resize", "release", "finish"] {
            let session = session()
            session.compositor {
                $0.button(isPressed: true)
                $0.button(273, isPressed: true)
            }
            switch end {
            case "leave": session.compositor { $0.add(6, 2, .word(1), .word(9)) }
            case "move": session.client { $0.add(8, 5, .word(5), .word(1)) }
            case "resize": session.client { $0.add(8, 6, .word(5), .word(1), .word(10)) }
            case "release": session.client { $0.add(6, 1) }
            default: session.finish()
            }
            let expected = ["272 pressed", "273 pressed", "272 released", "273 released"]
            XCTAssertEqual(session.log, expected, end)
            // A release that comes nevertheless is no second one.
            session.compositor { $0.button(isPressed: false) }
            XCTAssertEqual(session.log, expected, end)
        }
    }

    func testSeveralPointersPressAButtonOnce() {
        let session = session()
        session.client { $0.add(5, 0, .word(10)) }
        session.compositor {
            $0.button(pointer: 6, isPressed: true)
            $0.button(pointer: 10, isPressed: true)
            $0.button(pointer: 10, isPressed: true)
            $0.button(pointer: 6, isPressed: false)
        }
        XCTAssertEqual(session.log, ["272 pressed"])
        session.compositor { $0.button(pointer: 10, isPressed: false) }
        XCTAssertEqual(session.log, ["272 pressed", "272 released"])
        // A grab is of all of them.
        for opcode in [UInt16(5), 6] {
            let before = session.log.count
            session.compositor {
                $0.button(pointer: 6, isPressed: true)
                $0.button(pointer: 10, 273, isPressed: true)
            }
            session.client { $0.add(8, opcode, .word(5), .word(1), .word(10)) }
            XCTAssertEqual(
                Array(session.log[before...]), ["272 pressed", "273 pressed", "272 released", "273 released"])
        }
    }

    func testUnknownMessagesAreSkippedByTheirLength() {
        let session = session()
        session.compositor { $0.configure(1, 1) }
        session.client {
            $0.raw(99, 12, length: 65532, Array(repeating: 0xFF, count: 65524))
            $0.add(8, 77, .word(1))
            $0.add(8, 0)
        }
        XCTAssertEqual(session.log.last, "editor 1:8 gone")
        XCTAssertEqual(session.messages, [])
    }

    func testAMalformedMessageEndsTheFollowing() {
        let malformed: [(String, WaylandDecoder.Sender, (inout WaylandBytes) -> Void)] = [
            ("states a length of 4", .client, { $0.raw(99, 0, length: 4) }),
            ("states a length of 13", .client, { $0.raw(8, 2, length: 13) }),
            ("states a length of 0", .compositor, { $0.raw(1, 0, length: 0) }),
            ("too short", .compositor, { $0.add(8, 0, .word(1)) }),
            ("too short", .client, { $0.add(1, 1) }),
            ("reaches beyond", .client, { $0.add(8, 2, .word(9), .word(0), .word(0)) }),
            ("reaches beyond", .client, { $0.add(8, 2, .word(.max), .word(0), .word(0)) }),
            ("has no end", .client, { $0.add(8, 2, .word(4), .word(.max)) }),
            ("has no end", .client, { $0.add(8, 2, .word(0)) }),
            ("cannot make an object 0", .client, { $0.add(1, 1, .word(0)) }),
            ("cannot make an object 4278190080", .client, { $0.add(7, 1, .word(0xFF00_0000)) }),
            ("makes an object 8, which exists", .client, { $0.add(7, 1, .word(8)) }),
            ("states of 6 bytes", .compositor, { $0.add(8, 0, .word(1), .word(1), .word(6), .word(3), .word(3)) }),
        ]
        for (problem, sender, write) in malformed {
            let session = session()
            session.compositor {
                $0.configure(1, 1)
                $0.button(isPressed: true)
            }
            var bytes = WaylandBytes()
            write(&bytes)
            session.decode(bytes, from: sender)
            session.compositor { $0.configure(2, 2) }
            session.finish()
            let rest = session.log.filter { !$0.hasPrefix("message") && !$0.contains("titled") }
            XCTAssertEqual(rest, ["editor 1:8 1×1", "272 pressed", "272 released", "editor 1:8 gone"], problem)
            XCTAssertEqual(session.messages.count, 1, problem)
            XCTAssertTrue(session.messages.first?.contains(problem) == true, "\(session.messages): \(problem)")
        }
    }

    func testAClientCannotMakeTheTablesGrowWithoutEnd() {
        let session = session()
        session.client {
            for id in 0..<UInt32(WaylandObject.countMax + 10) { $0.add(7, 1, .word(1000 + id)) }
        }
        XCTAssertEqual(session.messages.count, 1)
        XCTAssertTrue(session.messages[0].contains("more than 16384"), session.messages[0])
    }

    func testNamesOfScenesAreBounded() {
        let session = session()
        for number in 0..<UInt32(WaylandReports.scenesMax + 10) {
            let window = 100 + number
            session.client { $0.add(7, 1, .word(window)) }
            session.compositor { $0.configure(window: window, 1, 1) }
            session.compositor { $0.configure(window: window, 2, 2) }
            // A window that is closed counts as well.
            session.client { $0.add(window, 0) }
        }
        XCTAssertEqual(session.reports.scenes.count, WaylandReports.scenesMax)
        XCTAssertEqual(session.messages.count, 1)
    }

    func testEveryTruncationIsABeginning() {
        let events = Self.events.bytes
        for cut in 0...events.count {
            let session = session()
            session.decode(events.prefix(cut), from: .compositor)
            let log = session.log.filter { !$0.contains("titled") }
            XCTAssertEqual(log[...], Self.expected.filter { !$0.contains("titled") }.prefix(log.count))
            XCTAssertEqual(session.messages, [])
        }
    }

    func testDamagedStreamsLeaveNoWindowAndNoButton() {
        let seed: UInt64 = 0x5E77_1E15
        var random = SplitMix64(seed: seed)
        var faults = 0
        for round in 0..<10_000 {
            var client = WaylandBytes.client.bytes
            var events = Self.events.bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let value = [0, 1, 4, 8, 255, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)!
                if Bool.random(using: &random) {
                    client[Int.random(in: 0..<client.count, using: &random)] = value
                } else {
                    events[Int.random(in: 0..<events.count, using: &random)] = value
                }
            }
            let session = Session()
            let cut = Int.random(in: 0...client.count, using: &random)
            session.decode(client.prefix(cut), from: .client)
            session.decode(client.dropFirst(cut), from: .client)
            session.decode(events[...], from: .compositor)
            session.finish()
            faults += session.messages.count
            XCTAssertLessThanOrEqual(session.messages.count, 1, "round \(round) of seed \(seed)")
            XCTAssertEqual(leftOpen(session.log), [], "round \(round) of seed \(seed)")
        }
        XCTAssertGreaterThan(faults, 1000, "the damage is too small to test anything")
    }

    /// Scenes without an end and buttons without a release.
    private func leftOpen(_ log: [String]) -> Set<String> {
        var open: Set<String> = []
        for line in log where !line.hasPrefix("message") && !line.contains(" titled ") {
            if line.hasSuffix(" gone") || line.hasSuffix(" released") {
                let name = String(line[..<line.lastIndex(of: " ")!])
                if open.remove(name) == nil { open.insert("\(line) without a beginning") }
            } else if line.hasSuffix(" pressed") {
                open.insert(String(line[..<line.lastIndex(of: " ")!]))
            } else {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                open.insert(words.dropLast(words.last == "resizing" ? 2 : 1).joined(separator: " "))
            }
        }
        return open
    }
}
