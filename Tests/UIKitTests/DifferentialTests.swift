import Settle
import SettleLog
import TestSupport
import UIKit
import XCTest

/// A delegate that tests the predicate in each callback, and the engine with the
/// policy `uikit`, rebuild for the same sizes.
@MainActor final class DifferentialTests: XCTestCase {
    func testRecordings() async throws {
        XCTAssertFalse(Recordings.names.isEmpty)
        for name in Recordings.names {
            let path = Recordings.log(name)
            let app = try TestApp().launched(connectsScene: false)
            let log = Log(app)
            try app.system.replay(LogReader(path: path))
            let expected = try engineRebuilds(LogReader(path: path))
            XCTAssertFalse(expected.isEmpty, name)
            XCTAssertEqual(log.rebuilds, expected, name)
            XCTAssertEqual(log.settled, expected, name)
        }
    }

    func testRandomStreams() async throws {
        let first = try TestApp()
        for seed: UInt64 in 0..<tried(2_000) {
            let text = RandomLog(seed: seed).text
            let app = try TestApp(like: first).launched(connectsScene: false)
            let log = Log(app)
            try app.system.replay(LogReader(ByteInput(bytes: Array(text.utf8), name: "random")))
            let expected = try engineRebuilds(LogReader(ByteInput(bytes: Array(text.utf8), name: "random")))
            XCTAssertEqual(log.rebuilds, expected, "seed \(seed)\n\(text)")
            XCTAssertEqual(log.decided, expected, "seed \(seed)")
            XCTAssertEqual(log.settled, expected, "seed \(seed)")
            if log.rebuilds != expected { return }
        }
    }

    /// The comparison must see a delegate that forgets to ask whether the scene is
    /// being resized.
    func testAHastyDelegateIsSeen() async throws {
        let app = try TestApp().launched(connectsScene: false)
        let log = Log(app, isHasty: true)
        let path = Recordings.log("w04_mutter")
        try app.system.replay(LogReader(path: path))
        XCTAssertNotEqual(log.rebuilds, try engineRebuilds(LogReader(path: path)))
    }

    /// Rule 1: a rejected event moves no time, also one that is rejected for a button too many.
    func testARejectedButtonMovesNoTime() async throws {
        func pointer(_ button: Int, _ isPressed: Bool = true, at time: Int) -> String {
            #"{"t_ns":\#(time),"kind":"pointer","button":\#(button),"pressed":\#(isPressed)}"#
        }
        var lines = [#"{"settle":"events","version":1}"#, #"{"t_ns":0,"scene":"b","width":300,"height":300}"#]
        lines += (0..<16).map { pointer($0, at: 1) }
        // Rejected, and later than what follows.
        lines += [pointer(99, at: 50), pointer(15, at: 10), pointer(15, false, at: 11), pointer(99, at: 12)]
        lines += [pointer(15, at: 60), #"{"t_ns":11,"scene":"a","width":400,"height":300}"#]
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        let policy = Policy(firstDelay: .nanoseconds(45))

        var expected: [String] = []
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "log")), policy: policy)
        while try replay.readNext() { replay.submit { expected.append("\($1) \($0.at) \($0.kind)") } }
        replay.finish { expected.append("\($1) \($0.at) \($0.kind)") }
        XCTAssertEqual(replay.summary.rejectedEvents, 2)

        let app = try TestApp(policy: policy).launched(connectsScene: false)
        var decided: [String] = []
        app.system.onDecision = { scene, decision in
            decided.append("\(scene.session.persistentIdentifier) \(decision.at) \(decision.kind)")
        }
        try app.system.replay(LogReader(ByteInput(bytes: bytes, name: "log")))
        XCTAssertEqual(decided, expected)
        XCTAssertEqual(expected.count, 2)
        XCTAssertEqual(app.system.now, Timestamp(nanoseconds: 57))
    }

    private func engineRebuilds(_ reader: LogReader) throws -> [String: [CGSize]] {
        var rebuilds: [String: [CGSize]] = [:]
        func receive(_ decision: Decision, _ scene: String) {
            guard case .rebuild(let rebuild) = decision.kind else { return }
            rebuilds[scene, default: []].append(CGSize(rebuild.size.width, rebuild.size.height))
        }
        let replay = try LogReplay(reader, policy: .uikit)
        while try replay.readNext() { replay.submit(deliver: receive) }
        replay.finish(deliver: receive)
        return rebuilds
    }
}

/// Each session's rebuilds over all its scenes: what delegates counted, what the system's
/// own engine decided, and the calls of root view controllers.
@MainActor private final class Log {
    private(set) var rebuilds: [String: [CGSize]] = [:]
    private(set) var decided: [String: [CGSize]] = [:]
    private(set) var settled: [String: [CGSize]] = [:]

    init(_ app: TestApp, isHasty: Bool = false) {
        app.system.onDecision = { [unowned self] scene, decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            decided[scene.session.persistentIdentifier, default: []].append(
                CGSize(rebuild.size.width, rebuild.size.height))
        }
        RecordingSceneDelegate.onConnect = { [unowned self] scene, _ in
            let counter = RebuildCounter(isHasty: isHasty) { [unowned self] size in
                rebuilds[scene.session.persistentIdentifier, default: []].append(size)
            }
            scene.delegate = counter
            let window = UIWindow(windowScene: scene)
            window.rootViewController = SettleCounter { [unowned self] size in
                settled[scene.session.persistentIdentifier, default: []].append(size)
            }
            window.makeKeyAndVisible()
        }
    }
}

/// Nothing but the predicate.
private final class RebuildCounter: UIResponder, UIWindowSceneDelegate {
    private let isHasty: Bool
    private let rebuild: (CGSize) -> Void
    private var built = CGSize.zero

    init(isHasty: Bool, rebuild: @escaping (CGSize) -> Void) {
        self.isHasty = isHasty
        self.rebuild = rebuild
        super.init()
    }

    func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
        let geometry = windowScene.effectiveGeometry
        let size = geometry.coordinateSpace.bounds.size
        guard isHasty || !geometry.isInteractivelyResizing, size != built else { return }
        built = size
        rebuild(size)
    }
}

/// Nothing but the call that replaces the predicate.
private final class SettleCounter: UIViewController {
    private let rebuild: (CGSize) -> Void

    init(rebuild: @escaping (CGSize) -> Void) {
        self.rebuild = rebuild
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewSizeDidSettle(_ size: CGSize) { rebuild(size) }
}

/// A random log of a few scenes, of which some report interactions and others are
/// dragged by the pointer.
private struct RandomLog {
    private(set) var text = #"{"settle":"events","version":1}"# + "\n"

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let scenes = 1 + random.below(4)
        let flagPercent = random.pick([0, 30, 80])
        let pointerPercent = random.pick([0, 15])
        var time = 0
        for _ in 0..<20 + random.below(100) {
            time += random.pick([0, 0, 1, 5, 200]) * 1_000_000
            var keys = ["\"t_ns\":\(max(0, time - (random.chance(3) ? 7_000_000 : 0)))"]
            if random.chance(pointerPercent) {
                let button = random.pick([1, 1, 3])
                keys.append(#""kind":"pointer","button":\#(button),"pressed":\#(random.chance(50))"#)
            } else {
                keys.append(#""scene":"s\#(random.below(scenes))""#)
                keys.append(contentsOf: RandomLog.change(&random, flagPercent))
            }
            text += "{" + keys.joined(separator: ",") + "}\n"
        }
    }

    private static func change(_ random: inout SplitMix64, _ flagPercent: Int) -> [String] {
        if random.chance(3) { return [#""kind":"disconnect""#] }
        if random.chance(2) { return [#""kind":"connect""#] }
        var keys: [String] = []
        if random.chance(75) {
            let width = random.pick([400, 500, 600, 0])
            keys.append(#""width":\#(width),"height":\#(random.pick([300, 300, 350]))"#)
        }
        if random.chance(flagPercent) { keys.append(#""resizing":\#(random.chance(50))"#) }
        if random.chance(10) { keys.append(#""locked":\#(random.chance(50))"#) }
        if random.chance(10) { keys.append(#""orientation":"\#(random.pick(["portrait", "landscapeLeft"]))""#) }
        return keys
    }
}
