import Settle
import TestSupport
import XCTest

/// Rules 3, 5, 6 and 11: which delay and reason a pending rebuild has. Every delay of the policy
/// is another one.
final class DelayRulesTests: XCTestCase {
    private let distinct = Policy(
        firstDelay: .milliseconds(11), reportedEndDelay: .milliseconds(12), releasedEndDelay: .milliseconds(13),
        discreteDelay: .milliseconds(14), quietDelay: .milliseconds(15), quietMaximum: .milliseconds(15),
        jumpDelay: nil, lockDelay: .milliseconds(17), interactionTimeout: .milliseconds(300))

    /// What these events decide, at last, of a scene that has a built at 0 ms.
    private func last(
        _ policy: Policy? = nil, reports: Bool = false, _ events: (SceneID) -> [Event], line: UInt = #line
    ) throws -> String? {
        let engine = try CheckedEngine(policy ?? distinct, line: line)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .flush(scene, at: .ms(0)))
        if reports { engine.submit(.at(0, scene, resizing: true), .at(0, scene, resizing: false)) }
        for event in events(scene) { engine.submit(event) }
        return engine.finish().last?.text
    }

    // MARK: Rule 6, each line

    func testRule06_nothingIsBuilt() throws {
        let engine = try CheckedEngine(distinct)
        let (plain, reporting, ended) = (try engine.connect(), try engine.connect(), try engine.connect())
        engine.submit(.at(0, plain, .a), .at(100, reporting, resizing: true), .at(100, reporting, resizing: false))
        engine.submit(.at(100, reporting, .a), .at(200, ended, .a, resizing: true), .at(210, ended, resizing: false))
        engine.finish()
        XCTAssertEqual(
            engine.decisions.compactMap { $0.rebuild == nil ? nil : $0.text },
            ["11 rebuild 100×100 first", "111 rebuild 100×100 first", "221 rebuild 100×100 first"])
        XCTAssertEqual(engine.decisions.last?.rebuild?.interactionDuration, .milliseconds(10))
        XCTAssertEqual(
            try last { [.built($0, size: nil, at: .ms(50)), .at(100, $0, .b)] }, "111 rebuild 110×100 first")
    }

    func testRule06_changesBeforeTheFirstBuildPostponeIt() throws {
        let engine = try CheckedEngine(distinct)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(10, scene, .b), .at(20, scene, .c))
        XCTAssertEqual(engine.finish().map(\.text), ["31 rebuild 120×100 first"])
    }

    func testRule06_aReportedEnd() throws {
        XCTAssertEqual(
            try last { [.at(100, $0, .b, resizing: true), .at(110, $0, resizing: false)] },
            "122 rebuild 110×100 interactionEnded")
    }

    func testRule06_aReleasedEnd() throws {
        XCTAssertEqual(
            try last { [.press(90), .at(100, $0, .b), .release(110)] }, "123 rebuild 110×100 interactionEnded")
    }

    func testRule06_theWatchdogsEnd() throws {
        XCTAssertEqual(try last { [.at(100, $0, .b, resizing: true)] }, "412 rebuild 110×100 timeout")
        // Of an interaction of the pointer as well: nothing was released.
        XCTAssertEqual(try last { [.press(90), .at(100, $0, .b)] }, "412 rebuild 110×100 timeout")
    }

    func testRule06_aDiscreteChange() throws {
        XCTAssertEqual(try last(reports: true) { [.at(100, $0, .b)] }, "114 rebuild 110×100 discrete")
        XCTAssertEqual(try last(reports: true) { [.at(100, $0, .b, resizing: false)] }, "114 rebuild 110×100 discrete")
    }

    func testRule06_aChangeWithoutAnEndSignal() throws {
        XCTAssertEqual(try last { [.at(100, $0, .b)] }, "115 rebuild 110×100 quiet")
        XCTAssertEqual(try last { [.at(100, $0, .b, resizing: false)] }, "115 rebuild 110×100 quiet")
    }

    // MARK: Rule 6, what a debt stems from

    func testRule06_laterChangesKeepTheEndThatItStemsFrom() throws {
        XCTAssertEqual(
            try last { [.at(100, $0, .b, resizing: true), .at(110, $0, resizing: false), .at(115, $0, .c)] },
            "127 rebuild 120×100 interactionEnded")
        XCTAssertEqual(
            try last { [.press(90), .at(100, $0, .b), .release(110), .at(115, $0, .c)] },
            "128 rebuild 120×100 interactionEnded")
        XCTAssertEqual(
            try last { [.at(100, $0, .b, resizing: true), .at(405, $0, .c)] }, "417 rebuild 120×100 timeout")
    }

    func testRule06_theLatestEndCounts() throws {
        // A drag by the pointer, then a reported one before the deadline.
        XCTAssertEqual(
            try last {
                [
                    .press(90), .at(100, $0, .b), .release(110), .at(115, $0, resizing: true),
                    .at(116, $0, resizing: false),
                ]
            }, "128 rebuild 110×100 interactionEnded")
        // A quiet change before the drag is forgotten.
        XCTAssertEqual(
            try last { [.at(100, $0, .b), .press(101), .at(102, $0, .c), .release(103)] },
            "116 rebuild 120×100 interactionEnded")
    }

    func testRule06_anEndThatOwesNothingLeavesNothing() throws {
        XCTAssertEqual(
            try last {
                [.press(90), .at(95, $0, .b), .at(100, $0, .a), .release(110), .at(115, $0, .c)]
            }, "130 rebuild 120×100 quiet")
        XCTAssertEqual(
            try last {
                [.press(90), .at(95, $0, .b), .cancel($0, at: .ms(100)), .release(110), .at(115, $0, .c)]
            }, "130 rebuild 120×100 quiet")
    }

    func testRule06_maximumWaitCapsEveryLine() throws {
        var policy = distinct
        policy.maximumWait = .milliseconds(10)
        XCTAssertEqual(try last(policy) { [.at(100, $0, .b)] }, "110 rebuild 110×100 maximumWait")
        XCTAssertEqual(try last(policy, reports: true) { [.at(100, $0, .b)] }, "110 rebuild 110×100 maximumWait")
        XCTAssertEqual(
            try last(policy) { [.at(100, $0, .b, resizing: true), .at(150, $0, resizing: false)] },
            "160 rebuild 110×100 maximumWait")
        XCTAssertEqual(try last(policy) { [.press(90), .at(100, $0, .b)] }, "410 rebuild 110×100 maximumWait")
        XCTAssertEqual(
            try last(policy) { [.built($0, size: nil, at: .ms(50)), .at(100, $0, .b)] },
            "110 rebuild 110×100 maximumWait")
        // Counted from when the debt arose, not from the later change.
        XCTAssertEqual(try last(policy) { [.at(100, $0, .b), .at(106, $0, .c)] }, "110 rebuild 120×100 maximumWait")
        // As early as the delay, which is the reason then.
        policy.maximumWait = .milliseconds(15)
        XCTAssertEqual(try last(policy) { [.at(100, $0, .b)] }, "115 rebuild 110×100 quiet")
    }

    /// A policy that comes late may have let the time pass already: then the next change decides.
    func testRule06_maximumWaitIsNeverBeforeTheChange() throws {
        var (patient, hasty) = (distinct, distinct)
        (patient.maximumWait, hasty.maximumWait) = (.milliseconds(100), .milliseconds(5))
        let engine = try CheckedEngine(patient)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .flush(scene, at: .ms(0)), .at(100, scene, .b))
        try engine.setPolicy(hasty, of: scene)
        XCTAssertEqual(engine.nextDeadline, .ms(115), "what is armed stays")
        engine.submit(.at(110, scene, .c))
        XCTAssertEqual(engine.nextDeadline, .ms(110))
        XCTAssertEqual(engine.finish().map(\.text), ["110 rebuild 120×100 maximumWait"])
    }

    func testRule06_maximumWaitCountsFromANewPolicyThatBringsIt() throws {
        var hasty = distinct
        hasty.maximumWait = .milliseconds(17)
        let engine = try CheckedEngine(distinct)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .flush(scene, at: .ms(0)), .at(100, scene, .b))
        engine.advance(to: .ms(105))
        try engine.setPolicy(hasty, of: scene)
        engine.submit(.at(112, scene, .c))
        XCTAssertEqual(engine.finish().map(\.text), ["122 rebuild 120×100 maximumWait"])
    }

    // MARK: Rule 5

    func testRule05_aTimeoutUnderAHeldButtonLetsTheNextChangeBeginAnew() throws {
        let engine = try CheckedEngine(.drawn(interactionTimeout: .milliseconds(30)))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .press(50), .at(60, scene, .b))
        XCTAssertEqual(
            engine.advance(to: .ms(200)).map(\.text),
            ["90 ended timeout after 0.03 seconds", "110 rebuild 110×100 timeout"])
        engine.submit(.at(200, scene, .b))
        XCTAssertFalse(engine.isInteracting(scene), "only a change begins")
        XCTAssertEqual(engine.submit(.at(210, scene, .c)).map(\.text), ["210 began"])
        XCTAssertEqual(engine.submit(.release(220)).map(\.text), ["220 ended released after 0.01 seconds"])
    }

    func testRule05_theFlagThatTakesOverIsEndedByTheFlagAlone() throws {
        let engine = try CheckedEngine()
        let (taken, other) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, taken, .a), .at(0, other, .a), .press(50), .at(60, taken, .b), .at(60, other, .b))
        XCTAssertEqual(engine.submit(.at(70, taken, .c, resizing: true)), [], "it goes on")
        XCTAssertEqual(engine.submit(.release(80)).map(\.scene), [other])
        XCTAssertEqual(
            engine.submit(.at(90, taken, resizing: false)).map(\.text), ["90 ended reported after 0.03 seconds"])
    }

    // MARK: Rule 11

    func testRule11_eachGeometryEventRestartsTheTimeout() throws {
        let watched = Policy.drawn(interactionTimeout: .milliseconds(50))
        for isReported in [true, false] {
            let engine = try CheckedEngine(watched)
            let scene = try engine.connect()
            engine.submit(.at(0, scene, .a), .press(50), .at(60, scene, .b, resizing: isReported ? true : nil))
            let signs: [Event] = [
                .at(100, scene, .b), .at(140, scene, .zero), .at(180, scene), .at(220, scene, locked: true),
                .geometry(scene, at: .ms(260), orientation: .portrait),
            ]
            for sign in signs {
                engine.submit(sign)
                XCTAssertTrue(engine.isInteracting(scene))
            }
            // Rejected events, other scenes and buttons are none.
            let other = try engine.connect()
            engine.submit(.at(290, scene, Size(width: .nan, height: 1)), .at(290, other, .a), .press(300, 2))
            XCTAssertEqual(
                engine.advance(to: .ms(310)).map(\.text).last, "310 ended timeout after 0.25 seconds")
        }
    }

    func testRule11_anEndDisarmsIt() throws {
        let engine = try CheckedEngine(.drawn(interactionTimeout: .milliseconds(50)))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .press(50), .at(60, scene, .b), .release(70))
        XCTAssertEqual(engine.finish().map(\.text), ["90 rebuild 110×100 interactionEnded"])
        engine.submit(.at(100, scene, .c, resizing: true), .at(110, scene, resizing: false))
        XCTAssertEqual(engine.finish().map(\.text), ["130 rebuild 120×100 interactionEnded"])
    }

    /// At a time at which an event comes as well, the watchdog is first: the event begins anew.
    func testRule11_itComesBeforeTheEventOfItsTime() throws {
        let engine = try CheckedEngine(.drawn(interactionTimeout: .milliseconds(50)))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        XCTAssertEqual(
            engine.submit(.at(50, scene, .b, resizing: true)).map(\.text),
            ["50 ended timeout after 0.05 seconds", "50 began"])
    }

    /// The rebuild after a timeout is armed when the watchdog fires, so after all that events armed.
    func testRule11_theRebuildAfterATimeoutIsTheLatestArmed() throws {
        var policy = Policy.drawn(interactionTimeout: .milliseconds(50))
        policy.reportedEndDelay = .zero
        let engine = try CheckedEngine(policy)
        let (scene, other) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, scene, .a), .at(0, other, .a))
        engine.submit(.at(100, scene, .b, resizing: true), .at(110, other, .b), .at(120, other, locked: true))
        XCTAssertEqual(
            engine.finish().map(\.text),
            [
                "150 ended timeout after 0.05 seconds", "150 rebuild 110×100 quiet", "150 locked",
                "150 rebuild 110×100 timeout",
            ])
    }
}
