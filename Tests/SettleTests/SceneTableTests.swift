import Settle
import XCTest

final class SceneTableTests: XCTestCase {
    func testAValueIsFoundByItsScene() throws {
        var engine = try Engine(.init(scenesMax: 3))
        var table = engine.makeSceneTable(of: String.self)
        let (first, second) = (try engine.connect(), try engine.connect())
        XCTAssert(table.isEmpty && table[first] == nil)
        table[second] = "second"
        table[first] = "first"
        XCTAssert(table[first] == "first" && table[second] == "second" && table.count == 2)
        XCTAssertEqual(table.map { [$0.scene: $0.value] }, [[first: "first"], [second: "second"]])
        table[first, default: ""] += "!"
        XCTAssert(table[first] == "first!" && table.count == 2)
        XCTAssertEqual(table.removeValue(for: first), "first!")
        XCTAssertEqual(table.removeValue(for: first), nil)
        XCTAssert(table[first] == nil && table.count == 1)
        table.removeAll()
        XCTAssert(table[second] == nil && table.isEmpty)
    }

    func testAStaleHandleFindsNothingOfItsSlotsNextScene() throws {
        var engine = try Engine(.init(scenesMax: 1))
        var table = engine.makeSceneTable(of: Int.self)
        let old = try engine.connect()
        table[old] = 1
        engine.submit(.disconnect(old, at: Timestamp(nanoseconds: 1))) { _ in }
        let new = try engine.connect()
        XCTAssert(old != new && table[new] == nil && table[old] == 1)
        table[new] = 2
        XCTAssert(table[old] == nil && table[new] == 2 && table.count == 1)
        table[old] = nil
        XCTAssert(table[new] == 2 && table.count == 1)
    }

    func testAWriteByAStaleHandleLeavesTheNextScenesValue() throws {
        var engine = try Engine(.init(scenesMax: 1))
        var table = engine.makeSceneTable(of: Int.self)
        let old = try engine.connect()
        engine.submit(.disconnect(old, at: .zero)) { _ in }
        let new = try engine.connect()
        table[new] = 2
        table[old] = 1
        table[old, default: 5] += 1
        table[old]? += 1
        XCTAssert(table[old] == nil && table[new] == 2 && table.count == 1)
        XCTAssertEqual(table.removeValue(for: old), nil)
        XCTAssert(table.removeValue(for: new) == 2 && table.isEmpty)
    }

    /// With 2^20 scenes, a slot has 4,095 handles.
    func testTheOrderOfHandlesWrapsAround() throws {
        var engine = try Engine(.init(scenesMax: Engine.scenesLimit))
        var table = engine.makeSceneTable(of: UInt32.self)
        func handle(_ generation: UInt32) -> SceneID { SceneID(rawValue: generation << 20 | 3) }
        let first = try engine.connect()
        XCTAssertEqual(first.rawValue, 1 << 20, "a handle is a generation and a slot")
        for (old, new): (UInt32, UInt32) in [(1, 2), (1, 2_048), (4_000, 4_095), (4_095, 1), (3_000, 500)] {
            table[handle(new)] = new
            table[handle(old)] = old
            XCTAssert(table[handle(old)] == nil && table[handle(new)] == new && table.count == 1)
            table.removeAll()
            table[handle(old)] = old
            table[handle(new)] = new
            XCTAssert(table[handle(old)] == nil && table[handle(new)] == new && table.count == 1)
            table.removeAll()
        }
    }

    /// A value that is changed in the table is not copied.
    func testChangesHappenInPlace() throws {
        var engine = try Engine()
        var table = engine.makeSceneTable(of: [Int].self)
        let scene = try engine.connect()
        table[scene] = []
        table[scene]?.reserveCapacity(100)
        let before = table[scene]?.withUnsafeBufferPointer { $0.baseAddress }
        for number in 0..<100 {
            table[scene]?.append(number)
            table[scene, default: []][number] += 1
        }
        XCTAssertEqual(table[scene]?.withUnsafeBufferPointer { $0.baseAddress }, before)
        XCTAssertEqual(table[scene], Array(1...100))
    }
}
