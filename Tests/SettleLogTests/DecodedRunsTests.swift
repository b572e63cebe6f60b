import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The decoder's loops over events with the same tag, and what binds them in runs.
final class DecodedRunsTests: XCTestCase {
    private struct Bits: Equatable {
        var at, width, height: UInt64
        var name: UInt32
        var kind, flags: UInt16

        init(_ event: settle_log_event) {
            (at, width, height) = (event.at_ns, event.width.bitPattern, event.height.bitPattern)
            (name, kind, flags) = (event.name, event.kind, event.flags)
        }
    }

    /// A body as a writer makes it or not: mostly runs of one tag, now and then a byte that is wrong.
    private func body(_ random: inout SplitMix64) -> [UInt8] {
        var body: [UInt8] = [UInt8(16 | random.below(4) << 2), 1, 0, 0, 128, 0]
        body += (0..<[0, 2, 4, 16][Int(body[0] >> 2 & 3)]).map { _ in UInt8(random.below(256)) }
        for _ in 0..<random.below(8) {
            let tag = UInt8(random.below(100) < 80 ? random.below(16) : random.below(256))
            for _ in 0..<1 + random.below(12) { append(tag, to: &body, &random) }
        }
        if random.below(4) == 0 { body[random.below(body.count)] = UInt8(random.below(256)) }
        if random.below(4) == 0 { body.removeLast(random.below(min(body.count, 30))) }
        return body
    }

    private func append(_ tag: UInt8, to body: inout [UInt8], _ random: inout SplitMix64) {
        body.append(tag)
        for index in 0..<[2, 3, 4, 8][Int(tag & 3)] { body.append(index < 2 ? UInt8(random.below(256)) : 0) }
        if tag & 16 != 0 {
            body += [random.below(5) == 0 ? UInt8(random.below(5)) : 0, UInt8(random.pick([128, 131])), 0]
        }
        let sceneLength = [0, 1, 2, 4][Int(tag >> 5 & 3)]
        for index in 0..<sceneLength { body.append(index == 0 ? UInt8(random.below(4)) : 0) }
        body += (0..<[0, 2, 4, 16][Int(tag >> 2 & 3)]).map { _ in UInt8(random.below(256)) }
    }

    func testRunsAreDecodedAsTheFormatSays() {
        var (decoded, whole) = (0, 0)
        for seed: UInt64 in 0..<6000 {
            var random = SplitMix64(seed: seed)
            let body = body(&random)
            let (count, scenes) = (1 + random.below(80), 1 + random.below(4))
            let times = UInt64(1000)...UInt64(1000 + random.pick([1 << 40, 1 << 17, 60_000]))
            let naive = NaiveDecoder(body, events: count, scenes: scenes, times: times)
            let names = (0..<scenes).map { UInt32($0 * 7 + 5) }
            for names in [nil, names] {
                let (result, events) = decode(body, count, scenes, times, names)
                let expected = naive.events.map { event in
                    var event = event
                    if let names, event.kind != SETTLE_POINTER.rawValue { event.name = names[Int(event.name)] }
                    return Bits(event)
                }
                let ok = result == SETTLE_LOG_OK.rawValue
                guard events == expected, ok == naive.isWhole else {
                    return XCTFail(
                        "seed \(seed): \(body), \(count) events, \(scenes) scenes: \(events) is not \(expected)")
                }
            }
            decoded += naive.events.count
            whole += naive.isWhole ? 1 : 0
        }
        XCTAssertGreaterThan(decoded, 30_000)
        XCTAssertGreaterThan(whole, 5)
    }

    /// From and into memory of exactly the size.
    private func decode(
        _ body: [UInt8], _ count: Int, _ scenes: Int, _ times: ClosedRange<UInt64>, _ names: [UInt32]?
    ) -> (Int32, [Bits]) {
        var chunk = settle_log_chunk()
        (chunk.first_ns, chunk.last_ns) = (times.lowerBound, times.upperBound)
        (chunk.body_bytes, chunk.events, chunk.scenes) = (UInt32(body.count), UInt32(count), UInt32(scenes))
        var sizes = [settle_log_size](repeating: settle_log_size(), count: scenes)
        let events = UnsafeMutableBufferPointer<settle_log_event>.allocate(capacity: count)
        defer { events.deallocate() }
        var decoded: UInt32 = 0
        let result =
            names.map { settle_log_decode_as(&chunk, body, $0, &sizes, events.baseAddress, &decoded) }
            ?? settle_log_decode(&chunk, body, &sizes, events.baseAddress, &decoded)
        return (result, events.prefix(Int(decoded)).map(Bits.init))
    }

    func testBindingStopsBeforeWhatMayConnectOrDisconnect() {
        func event(_ kind: settle_event_kind, _ name: UInt32, _ at: UInt64) -> settle_log_event {
            var event = settle_log_event()
            (event.kind, event.name, event.at_ns) = (UInt16(kind.rawValue), name, at)
            return event
        }
        let scenes = [0, 70, 80].map { settle_log_scene(handle: $0, is_counted: 0) }
        func bound(_ events: [settle_log_event]) -> (names: [UInt32], counts: settle_log_counts) {
            var events = events
            var counts = settle_log_counts(first_ns: .max, last_ns: 0, events: 10, pointers: 1)
            let count = settle_log_bind(&events, events.count, scenes, scenes.count, &counts)
            XCTAssertEqual(counts.events, 10 + UInt64(count))
            return (events.prefix(count).map(\.name), counts)
        }
        let (a, b) = (SETTLE_GEOMETRY, SETTLE_POINTER)
        let all = bound([event(a, 1, 5), event(a, 1, 3), event(b, 9, 8), event(SETTLE_CONNECT, 2, 4), event(a, 1, 4)])
        XCTAssertEqual(all.names, [70, 70, 9, 80, 70], "a button is no scene")
        XCTAssertEqual([all.counts.first_ns, all.counts.last_ns, all.counts.pointers], [3, 8, 2])
        XCTAssertEqual(bound([event(a, 1, 1), event(SETTLE_DISCONNECT, 1, 1), event(a, 1, 1)]).names, [70])
        XCTAssertEqual(bound([event(a, 2, 1), event(a, 0, 1), event(a, 1, 1)]).names, [80], "not connected")
        XCTAssertEqual(bound([event(a, 2, 1), event(a, 3, 1)]).names, [80], "a name behind the scenes")
        XCTAssertEqual(bound([event(a, 2, 1), event(SETTLE_FINISHED, 0, 1)]).names, [80], "a build of no scene")
        XCTAssertEqual(bound([event(a, 2, 1), event(SETTLE_FINISHED, 1, 1)]).names, [80, 70])
        let none = bound([event(SETTLE_CONNECT, 0, 1)])
        XCTAssertEqual(none.names, [])
        XCTAssertEqual([none.counts.first_ns, none.counts.last_ns], [.max, 0], "what is not bound is not counted")
        XCTAssertEqual(bound([]).names, [])
    }
}
