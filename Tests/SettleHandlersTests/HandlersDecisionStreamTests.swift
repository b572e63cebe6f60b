import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// A stream's buffer, drawn as text, and the stream around it.
final class HandlersDecisionStreamTests: XCTestCase {
    // MARK: Buffering

    private func decision(_ scene: SceneID, _ kind: Decision.Kind, at number: Int = 0) -> Decision {
        Decision(at: Timestamp(nanoseconds: UInt64(number)), scene: scene, kind: kind)
    }

    /// `[` begin, `]` end, `a`…`z` a rebuild, `0`…`9` a preview, `L` locked, `U` unlocked.
    private func decisions(_ text: String, _ scene: SceneID = .s) -> [Decision] {
        text.map { symbol in
            switch symbol {
            case "[": decision(scene, .interactionBegan)
            case "]": decision(scene, .interactionEnded(.reported, duration: .zero))
            case "L", "U": decision(scene, .lockChanged(isLocked: symbol == "L"))
            case "0"..."9": .preview(scene, Int(symbol.asciiValue!))
            default: .rebuild(scene, Int(symbol.asciiValue!))
            }
        }
    }

    private func text(_ decision: Decision) -> String {
        switch decision.kind {
        case .interactionBegan: "["
        case .interactionEnded: "]"
        case .rebuild(let rebuild): String(UnicodeScalar(UInt8(rebuild.size.width)))
        case .preview(let size, _): String(UnicodeScalar(UInt8(size.width)))
        default: decision.kind == .lockChanged(isLocked: true) ? "L" : "U"
        }
    }

    private func drain(_ buffer: inout DecisionBuffer) -> [Decision] {
        var taken: [Decision] = []
        while case .element(let decision) = buffer.dequeue(at: .zero) { taken.append(decision) }
        return taken
    }

    private func assertBuffered(_ yielded: String, capacity: Int, gives expected: String, line: UInt = #line) {
        var buffer = DecisionBuffer(capacity: capacity)
        for decision in decisions(yielded) { buffer.append(decision) }
        XCTAssertEqual(drain(&buffer).map(text).joined(), expected, line: line)
        XCTAssertEqual(buffer.statistics.superseded, UInt64(yielded.count - expected.count), line: line)
    }

    func testBuffer_keepsEverythingWhileThereIsRoom() {
        assertBuffered("abL[]cU[]d", capacity: 10, gives: "abL[]cU[]d")
    }

    func testBuffer_whenFullANewerDecisionSupersedesTheOlderOfItsKind() {
        assertBuffered("abcd", capacity: 1, gives: "d")
        assertBuffered("abcd", capacity: 3, gives: "abd")
        assertBuffered("LULU", capacity: 0, gives: "U")
        assertBuffered("[]a[]b[]c", capacity: 0, gives: "[]c")
        assertBuffered("]a[]b[]c[", capacity: 0, gives: "]c[")
        assertBuffered("aL[]", capacity: 0, gives: "aL[]")
    }

    func testBuffer_whenFullAPreviewIsKeptOnlyWhileItIsOfUse() {
        assertBuffered("[12", capacity: 10, gives: "[12")
        assertBuffered("[1234", capacity: 0, gives: "[4")
        assertBuffered("[1L", capacity: 0, gives: "[1L")
        assertBuffered("[12]a", capacity: 0, gives: "[]a")
        assertBuffered("[12]a", capacity: 2, gives: "[]a")
        assertBuffered("[12]a", capacity: 4, gives: "[]a")
        assertBuffered("[12]a", capacity: 5, gives: "[12]a")
        assertBuffered("[12][", capacity: 4, gives: "[")
        assertBuffered("[1]a[2]b[3", capacity: 0, gives: "b[3")
        assertBuffered("]a[1]b[2", capacity: 1, gives: "]b[2")
        assertBuffered("[1][", capacity: 3, gives: "[")
        assertBuffered("1[", capacity: 0, gives: "1[")
        assertBuffered("1[2", capacity: 0, gives: "[2")
        assertBuffered("[]12[", capacity: 0, gives: "2[")
        assertBuffered("[]12[", capacity: 4, gives: "2[")
        assertBuffered("1aL[", capacity: 2, gives: "aL[")
    }

    func testBuffer_scenesDoNotSupersedeEachOther() {
        var buffer = DecisionBuffer(capacity: 2)
        for scene in [SceneID.s, .t, .u] {
            for decision in decisions("[]ab", scene) { buffer.append(decision) }
        }
        XCTAssertEqual(drain(&buffer).map { "\($0.scene.rawValue)\(text($0))" }.joined(), "1[1]1b2[2]2b3[3]3b")
    }

    /// Whatever is taken when: bounded, in order, alternating, and no scene's last
    /// rebuild, lock value or edge is lost.
    func testBuffer_randomStreamsStayBoundedAndWellFormed() {
        for seed in UInt64(0)..<300 {
            var random = SplitMix64(seed: seed)
            let (scenes, capacity) = (1 + random.below(4), random.below(12))
            var buffer = DecisionBuffer(capacity: capacity)
            var isInteracting = Array(repeating: false, count: scenes)
            var yielded: [Decision] = []
            var taken: [Decision] = []
            for number in 1...200 {
                if random.chance(30), case .element(let decision) = buffer.dequeue(at: .zero) { taken.append(decision) }
                let scene = random.below(scenes)
                let (kind, edges) = next(&random, isInteracting: isInteracting[scene])
                isInteracting[scene] = edges
                yielded.append(decision(SceneID(rawValue: UInt32(scene)), kind, at: number))
                buffer.append(yielded.last!)
                XCTAssertLessThanOrEqual(buffer.statistics.waiting, capacity + 6 * scenes, "seed \(seed)")
            }
            taken += drain(&buffer)
            XCTAssertEqual(taken.map(\.at), taken.map(\.at).sorted(), "seed \(seed)")
            XCTAssertEqual(UInt64(yielded.count), buffer.statistics.delivered + buffer.statistics.superseded)
            for scene in 0..<scenes { check(yielded, taken, SceneID(rawValue: UInt32(scene)), seed) }
            if testRun!.failureCount > 0 { return }
        }
    }

    private func next(_ random: inout SplitMix64, isInteracting: Bool) -> (Decision.Kind, Bool) {
        if random.chance(20) { return (.lockChanged(isLocked: random.chance(50)), isInteracting) }
        if random.chance(isInteracting ? 40 : 20) {
            return (Decision.preview(.s, 0x30 + random.below(10)).kind, isInteracting)
        }
        if isInteracting { return (.interactionEnded(.reported, duration: .zero), false) }
        if random.chance(50) { return (.interactionBegan, true) }
        return (Decision.rebuild(.s, 1).kind, false)
    }

    private func check(_ yielded: [Decision], _ taken: [Decision], _ scene: SceneID, _ seed: UInt64) {
        var isInteracting = false
        for symbol in taken.filter({ $0.scene == scene }).map(text) {
            if "0"..."9" ~= symbol { continue }
            if symbol == "[" || symbol == "]" {
                XCTAssertEqual(isInteracting, symbol == "]", "seed \(seed): begins and ends alternate")
                isInteracting.toggle()
            } else if symbol != "L", symbol != "U" {
                XCTAssertFalse(isInteracting, "seed \(seed): a rebuild inside an interaction")
            }
        }
        for kinds in ["[]", "LU", "\u{1}"] {
            let isOne = { (decision: Decision) in decision.scene == scene && kinds.contains(self.text(decision)) }
            XCTAssertEqual(yielded.last(where: isOne), taken.last(where: isOne), "seed \(seed): the last of \(kinds)")
        }
        // A preview is of use until another one, a rebuild or an interaction's end follows; its begin is none of these.
        let last = { (decisions: [Decision]) in
            decisions.last { $0.scene == scene && !"[LU".contains(self.text($0)) }.map(self.text)
        }
        if let preview = last(yielded), "0"..."9" ~= preview {
            XCTAssertEqual(last(taken), preview, "seed \(seed): the last preview")
        }
    }

    // MARK: The stream

    func testStream_deliversInOrderAndEndsAfterFinish() async {
        let stream = DecisionStream()
        for decision in decisions("[]a") { stream.yield(decision) }
        stream.finish()
        stream.finish()
        stream.yield(.rebuild(.s, 1))
        var delivered = ""
        for await decision in stream { delivered += text(decision) }
        XCTAssertEqual(delivered, "[]a")
        XCTAssertEqual(stream.statistics.dropped, 1)
        for await _ in stream { XCTFail("ended") }
    }

    func testStream_wakesAWaitingConsumer() async {
        let stream = DecisionStream()
        let consumer = Task { () -> Int in
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        while !stream.storage.hasSuspendedConsumer { await Task.yield() }
        stream.yield(.rebuild(.s, 1))
        while stream.statistics.delivered < 1 || !stream.storage.hasSuspendedConsumer { await Task.yield() }
        stream.finish()
        let count = await consumer.value
        XCTAssertEqual(count, 1)
    }

    func testStream_cancellationEndsTheIterationAndKeepsTheRest() async {
        let stream = DecisionStream()
        let consumer = Task { for await _ in stream { XCTFail("nothing was yielded") } }
        while !stream.storage.hasSuspendedConsumer { await Task.yield() }
        consumer.cancel()
        await consumer.value
        stream.yield(.rebuild(.s, 1))
        let cancelled = Task { () -> Int in
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        let count = await cancelled.value
        XCTAssertEqual(count, 0)
        for await _ in stream { break }
        XCTAssertEqual(stream.statistics.delivered, 1)
        XCTAssertEqual(stream.statistics.refusedConsumers, 0, "the cancelled iteration has ended")
    }

    func testStream_anotherIterationGoesOnWhereTheLastStopped() async {
        let stream = DecisionStream()
        for decision in decisions("abc") { stream.yield(decision) }
        stream.finish()
        var delivered = ""
        for await decision in stream {
            delivered += text(decision)
            break
        }
        for await decision in stream { delivered += text(decision) }
        XCTAssertEqual(delivered, "abc")
    }

    func testStream_endsWhenItIsGone() async {
        var stream: DecisionStream? = DecisionStream()
        var iterator = stream!.makeAsyncIterator()
        stream!.yield(.rebuild(.s, 1))
        stream = nil
        let first = await iterator.next()
        let second = await iterator.next()
        XCTAssertNotNil(first)
        XCTAssertNil(second)
    }

    @MainActor
    func testStream_isConsumedOnAnActor() async {
        let stream = DecisionStream()
        stream.yield(.rebuild(.s, 1))
        stream.finish()
        for await decision in stream {
            MainActor.assertIsolated()
            XCTAssertEqual(decision.scene, .s)
        }
    }
}
