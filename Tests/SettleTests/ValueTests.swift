import CSettle
import Foundation
import Settle
import XCTest

/// Times, encodings and descriptions of the public values.
final class ValueTests: XCTestCase {
    func testABuiltEventCarriesItsSize() {
        let (scene, size) = (SceneID(rawValue: 1), Size(width: 100, height: 50))
        XCTAssertEqual(Event.reallyBuilt(scene, at: .zero, size: size).size, size)
        XCTAssertNil(Event.reallyBuilt(scene, at: .zero, size: nil).size)
    }

    func testTheClosestWordIsOneThatATypoCanBe() {
        for (word, words, expected) in [
            ("replya", ["report", "replay"], "replay"), ("info", ["into", "infra", "inf"], "into"),
            ("", ["ab", "a"], "a"),
            ("ab", ["xy"], "xy"), ("ab", ["xyz"], nil), ("abcdefghijkl", ["abcdefgh"], "abcdefgh"),
            ("abcdefghijkl", ["abcdefg"], nil), ("x", [], nil),
        ] {
            XCTAssertEqual(closest(to: word, among: words), expected, word)
        }
    }

    func testReportsAreTakenWhereAPolicyHasAShare() {
        let policies: [Policy] = [.default, .uikit, .live, .prepared]
        XCTAssertEqual(policies.map(\.takesReports), [false, false, true, true])
    }

    // MARK: Timestamp

    func testTimesAreMovedByDurationsAndSaturate() {
        let time = Timestamp(nanoseconds: 1_000)
        XCTAssertEqual(time.advanced(by: .nanoseconds(5)), Timestamp(nanoseconds: 1_005))
        XCTAssertEqual(time + .nanoseconds(5), Timestamp(nanoseconds: 1_005))
        XCTAssertEqual(time - .nanoseconds(5), Timestamp(nanoseconds: 995))
        XCTAssertEqual(time.advanced(by: .nanoseconds(-1_000)), .zero)
        XCTAssertEqual(time.advanced(by: .nanoseconds(-1_001)), .zero)
        XCTAssertEqual(time.advanced(by: .seconds(Int64.max)), .latest)
        XCTAssertEqual(time.advanced(by: .seconds(Int64.min)), .zero)
        XCTAssertEqual(Timestamp.latest.advanced(by: .nanoseconds(1)), .latest)
        XCTAssertEqual(Timestamp(nanoseconds: .max).advanced(by: .nanoseconds(-1)), .latest)
        // Fractions of a nanosecond are dropped, towards the time itself.
        XCTAssert(
            time.advanced(by: Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999)).nanoseconds == 999)
    }

    func testDurationsBetweenTimesHaveASign() {
        let (early, late) = (Timestamp(nanoseconds: 3), Timestamp(nanoseconds: 10))
        XCTAssertEqual(early.duration(to: late), .nanoseconds(7))
        XCTAssertEqual(late.duration(to: early), .nanoseconds(-7))
        XCTAssertEqual(late - early, .nanoseconds(7))
        XCTAssertEqual(Timestamp.zero.duration(to: .latest), .nanoseconds(Int64.max))
    }

    // MARK: Encodings

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
        XCTAssertEqual(try json(value), text)
        XCTAssertEqual(try JSONDecoder().decode(Value.self, from: Data(text.utf8)), value)
    }

    func testValuesAreEncodedAsDocumented() throws {
        try expectRoundTrip(Size(width: 4, height: 3.5), #"{"height":3.5,"width":4}"#)
        try expectRoundTrip([Timestamp(nanoseconds: 12), .latest], "[12,9223372036854775807]")
        try expectRoundTrip([SceneID(rawValue: 7)], "[7]")
        try expectRoundTrip(
            Policy(
                firstDelay: .nanoseconds(1), reportedEndDelay: .nanoseconds(2), releasedEndDelay: .nanoseconds(3),
                discreteDelay: .milliseconds(1), quietDelay: .zero, jumpDelay: nil, calmDelay: .seconds(2),
                lockDelay: .nanoseconds(5), pauseDelay: .nanoseconds(6), pauseSharePercent: 1, maximumWait: .zero,
                interactionTimeout: nil, liveSharePercent: 100, liveLimit: nil, liveInterval: .zero,
                livePause: .nanoseconds(7)),
            #"{"calmDelay":"2s","discreteDelay":"1ms","firstDelay":"1ns","interactionTimeout":null,"jumpDelay":null,"#
                + #""liveInterval":"0s","liveLimit":null,"livePause":"7ns","liveShare":"100%","lockDelay":"5ns","#
                + #""maximumWait":"0s","pauseDelay":"6ns","pauseShare":"1%","quietDelay":"0s","#
                + #""releasedEndDelay":"3ns","reportedEndDelay":"2ns"}"#)
    }

    func testValuesOutOfRangeAreNotEncoded() {
        let tooLong = Duration.nanoseconds(Int64.max) + .nanoseconds(1)
        var values: [any Encodable] = [
            [Timestamp(nanoseconds: UInt64(Int64.max) + 1)],
            Policy(discreteDelay: Policy.longestDelay + .nanoseconds(1)), Policy(quietDelay: .nanoseconds(-1)),
            Policy(quietDelay: tooLong), Policy(calmDelay: .nanoseconds(-1)), Policy(calmDelay: tooLong),
            Policy(pauseDelay: tooLong), Policy(pauseSharePercent: 0), Policy(livePause: .nanoseconds(-1)),
            Policy(maximumWait: .nanoseconds(-1)), Policy(interactionTimeout: tooLong),
        ]
        for duration in [.nanoseconds(-1), tooLong, .seconds(Int64.max) * 2, .seconds(Int64.min) * 2] {
            values.append(Policy(lockDelay: duration))
        }
        for value in values { XCTAssertThrowsError(try json(value), "\(value)") { XCTAssert($0 is EncodingError) } }
    }

    func testValuesOutOfRangeAreNotDecoded() throws {
        func expectCorrupted<Value: Decodable>(_: Value.Type, _ text: String) {
            XCTAssertThrowsError(try JSONDecoder().decode(Value.self, from: Data(text.utf8)), "\(text)") {
                XCTAssert($0 is DecodingError)
            }
        }
        expectCorrupted([Timestamp].self, "[9223372036854775808]")
        expectCorrupted([Timestamp].self, "[18446744073709551615]")
        expectCorrupted([Timestamp].self, "[-1]")
        let longest = try JSONDecoder().decode(Policy.self, from: Data(#"{"lockDelay":"1152921504606846976ns"}"#.utf8))
        XCTAssertEqual(longest, Policy(lockDelay: Policy.longestDelay))
    }

    /// The cases are the rows of the core's tables, by their numbers and words.
    func testKindsAndReasonsAreTheCoresRows() {
        let kinds = (0...UInt16.max).lazy.map { Event.Kind(rawValue: $0) }.prefix { $0 != nil }.map { "\($0!)" }
        let words = (0...UInt32(kinds.count)).map { String(cString: settle_event_kind_name($0)) }
        XCTAssertEqual(words, kinds + ["unknown"])
        let reasons = (0...UInt32.max).lazy.map { String(cString: settle_reason_name($0)) }.prefix { $0 != "unknown" }
        let first = Int(SETTLE_REBUILD_INTERACTION_ENDED.rawValue)
        XCTAssertEqual(Set(reasons.dropFirst(first)), Set(Rebuild.Reason.allCases.map(\.rawValue)))
        XCTAssertEqual(Set(reasons.prefix(first).dropFirst()), Set(Decision.EndReason.allCases.map(\.rawValue)))
    }

    // MARK: Descriptions

    func testDescriptionsCanBeRead() throws {
        let scene = SceneID(rawValue: 9)
        let time = Timestamp(nanoseconds: 1_500_000_000)
        let size = Size(width: 400, height: 300)
        let texts: [(any CustomStringConvertible, String)] = [
            (time, "1.5 s"), (Timestamp(nanoseconds: 7), "0.000000007 s"),
            (
                Event.geometry(
                    scene, at: time, size: size, isInteractivelyResizing: true, isInterfaceOrientationLocked: false,
                    orientation: .portrait), "1.5 s: scene 9 geometry 400×300, resizing, unlocked, portrait"
            ),
            (Event.pointer(button: 1, at: .zero, isPressed: true), "0 s: button 1 pressed"),
            (Event.flush(scene, at: time), "1.5 s: scene 9 flush"),
            (Event.reallyBuilt(scene, at: time, size: nil), "1.5 s: scene 9 reallyBuilt nothing"),
            (Event.pointer(button: 3, at: .zero, isPressed: false), "0 s: button 3 released"),
            (Event.reallyBuilt(scene, at: time, size: size), "1.5 s: scene 9 reallyBuilt 400×300"),
            (Event.reallyBuilt(scene, at: time, size: .zero), "1.5 s: scene 9 reallyBuilt nothing"),
            (Event.reallyBuilt(scene, at: time, size: Size(width: -1, height: 3)), "1.5 s: scene 9 reallyBuilt -1×3"),
            (Event.geometry(scene, at: time, size: .zero), "1.5 s: scene 9 geometry 0×0"),
            (
                Event.finished(scene, at: time, generation: 3, cost: .milliseconds(20)),
                "1.5 s: scene 9 finished rebuild 3 in 20 ms"
            ),
            (
                Event.previewed(scene, at: time, generation: 3, cost: .milliseconds(20), isKept: true),
                "1.5 s: scene 9 previewed preview 3 in 20 ms"
            ),
            (
                Event.previewed(scene, at: time, generation: 3, cost: .milliseconds(20), isKept: false),
                "1.5 s: scene 9 previewed preview 3 given up after 20 ms"
            ),
            (Decision.Kind.preview(size, generation: 4), "preview 4 for 400×300"),
            (
                Decision.Kind.rebuild(Rebuild(size: size, reason: .interactionEnded, isPrepared: true)),
                "rebuild 1 for 400×300 (interactionEnded), 1 event, prepared"
            ),
            (Decision(at: time, scene: scene, kind: .interactionBegan), "1.5 s: scene 9 interaction began"),
            (
                Decision.Kind.interactionEnded(.timeout, duration: .microseconds(250)),
                "interaction ended (timeout) after 250 µs"
            ),
            (
                Decision.Kind.rebuild(
                    Rebuild(
                        size: size, previousSize: Size(width: 1, height: 1), reason: .quiet, generation: 2,
                        coalescedEvents: 17)), "rebuild 2 for 400×300 (quiet), before 1×1, 17 events"
            ),
            (
                Policy(
                    lockDelay: .nanoseconds(-3), maximumWait: .milliseconds(1_250), interactionTimeout: nil,
                    liveSharePercent: 30),
                "firstDelay 0 s, reportedEndDelay 0 s, releasedEndDelay 16 ms, discreteDelay 50 ms, quietDelay 200 ms, "
                    + "jumpDelay 50 ms, calmDelay 500 ms, lockDelay -3 ns, maximumWait 1.25 s, liveShare 30%, liveLimit 16 ms, liveInterval 16 ms"
            ),
        ]
        for (value, text) in texts { XCTAssertEqual(value.description, text) }
        var engine = try Engine()
        engine.submit(.connect(try engine.connect(), at: time)) { _ in }
        let statistics = engine.statistics
        XCTAssertEqual(statistics.description, "1 event, 0 decisions, 1 scene, 0 rejected, 0 regressions")
    }

    func testASizeThatIsZeroOrRejectedIsNotStated() {
        let scene = SceneID(rawValue: 9)
        let sizes: [(Size?, Size?)] = [
            (nil, nil), (.zero, nil), (Size(width: 0, height: 3), nil), (Size(width: 3, height: 0), nil),
            (Size(width: 3, height: -0.0), nil), (Size(width: 3, height: 4), Size(width: 3, height: 4)),
            (Size(width: -3, height: 4), nil), (Size(width: 3, height: .infinity), nil),
            (Size(width: .nan, height: 4), nil),
        ]
        for (size, stated) in sizes {
            XCTAssertEqual(Event.geometry(scene, at: .zero, size: size).statedSize, stated)
            XCTAssertEqual(Event.reallyBuilt(scene, at: .zero, size: size).statedSize, stated)
        }
    }

    func testErrorsCanBeRead() {
        let longest = Policy.longestDelay
        let moreScenes = "disconnect some, or make the engine with a larger scenesMax"
        let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let texts: [(EngineError, String)] = [
            (.tooManyScenes(1), "1 scene is connected already; " + moreScenes),
            (.tooManyScenes(2), "2 scenes are connected already; " + moreScenes),
            (.tooManyPolicies(1), "1 policy is in use already; share policies between scenes, or raise policiesMax"),
            (.tooManyPolicies(3), "3 policies are in use already; share policies between scenes, or raise policiesMax"),
            (
                .durationOutOfRange(name: "x", value: longest + .nanoseconds(1), most: longest),
                "x is 1152921504606846977 ns; it must be from 0 ns to 1152921504606846976 ns"
            ),
            (
                .durationOutOfRange(name: "x", value: longest + attosecond, most: longest),
                "x is 1152921504606846976000000001 as; it must be from 0 ns to 1152921504606846976 ns"
            ),
            (
                .durationOutOfRange(name: "x", value: .seconds(-1), most: longest),
                "x is -1000000000 ns; it must be from 0 ns to 1152921504606846976 ns"
            ),
        ]
        for (error, text) in texts { XCTAssertEqual(error.description, text) }
    }

    func testTheVersionIsThatOfTheLibrary() {
        XCTAssertEqual(Engine.version.split(separator: ".").compactMap { UInt($0) }.count, 3)
    }
}
