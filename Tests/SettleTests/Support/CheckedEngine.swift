import Settle
import TestSupport
import XCTest

/// An engine with an oracle beside it: every call goes to both, and a difference
/// fails the test. What a test expects in words is so checked against two readers.
final class CheckedEngine {
    private var engine: Engine
    private var oracle = Oracle()
    let policy: Policy
    private(set) var decisions: [Decision] = []
    private let file: StaticString
    private let line: UInt

    init(
        _ policy: Policy, decisionsMax: Int = 64, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        engine = try Engine(.init(policy: policy, scenesMax: 64, decisionsMax: decisionsMax))
        self.policy = policy
        self.file = file
        self.line = line
    }

    func setPolicy(_ policy: Policy, of scene: SceneID) throws {
        try engine.setPolicy(policy, of: scene)
        oracle.setPolicy(policy, of: scene)
    }

    func connect() throws -> SceneID {
        let scene = try engine.connect()
        oracle.connect(scene, policy: policy)
        return scene
    }

    func submit(_ event: Event) {
        check {
            engine.submit(event) { decisions.append($0) }
            oracle.submit(event)
        }
    }

    func advance(to now: Timestamp) {
        check {
            engine.advance(to: now) { decisions.append($0) }
            oracle.advance(to: now)
        }
    }

    func finish() {
        check {
            engine.finish { decisions.append($0) }
            oracle.finish()
        }
    }

    var nextDeadline: Timestamp? { engine.nextDeadline }

    private func check(_ call: () -> Void) {
        call()
        XCTAssertEqual(
            decisions.suffix(8), oracle.decisions.suffix(8), "engine, then oracle", file: file, line: line)
        XCTAssertEqual(decisions.count, oracle.decisions.count, "engine, then oracle", file: file, line: line)
        XCTAssertEqual(engine.nextDeadline, oracle.nextDeadline, "engine, then oracle", file: file, line: line)
        XCTAssertEqual(engine.now, oracle.now, "engine, then oracle", file: file, line: line)
        XCTAssertEqual(
            Oracle.Counts(engine.statistics), oracle.counts, "engine, then oracle", file: file, line: line)
    }
}

extension Policy {
    /// Short delays for drawings: at 10 ms a step, 2 steps after an end or a discrete change, 4 of
    /// quiet and before a first build, 3 for the lock, and no watchdog.
    static let drawn = Policy(
        firstDelay: .milliseconds(40), reportedEndDelay: .milliseconds(20), releasedEndDelay: .milliseconds(20),
        discreteDelay: .milliseconds(20), quietDelay: .milliseconds(40), jumpDelay: nil, lockDelay: .milliseconds(30),
        interactionTimeout: nil)

    static func drawn(lockDelay: Duration) -> Policy {
        var policy = drawn
        policy.lockDelay = lockDelay
        return policy
    }
}

extension Timestamp {
    static func ms(_ milliseconds: Int) -> Timestamp { Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000) }
}

extension Size {
    /// The sizes of the drawings: a is 100 × 100, b is 110 × 100 and so on.
    static func letter(_ letter: Character) -> Size {
        Size(width: 100 + 10 * Double(letter.asciiValue! - Character("a").asciiValue!), height: 100)
    }

    static let a = letter("a")
    static let b = letter("b")
    static let c = letter("c")
}

extension Event {
    /// A geometry event at a time in milliseconds.
    static func at(
        _ ms: Int, _ scene: SceneID, _ size: Size? = nil, resizing: Bool? = nil, locked: Bool? = nil
    ) -> Event {
        .geometry(
            scene, at: .ms(ms), size: size, isInteractivelyResizing: resizing,
            isInterfaceOrientationLocked: locked)
    }
}

extension Decision {
    /// One line, so that expectations read as a list: `40 rebuild 110×100 quiet`.
    var text: String {
        let ms = "\(Double(at.nanoseconds) / 1e6)".replacing(/\.0$/, with: "")
        return switch kind {
        case .interactionBegan: "\(ms) began"
        case .interactionEnded(let reason, let duration): "\(ms) ended \(reason) after \(duration)"
        case .rebuild(let rebuild): "\(ms) rebuild \(rebuild.size) \(rebuild.reason)"
        default: "\(ms) \(kind)"
        }
    }

    var rebuild: Rebuild? {
        guard case .rebuild(let rebuild) = kind else { return nil }
        return rebuild
    }
}
