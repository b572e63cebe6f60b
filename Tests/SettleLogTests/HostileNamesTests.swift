import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Names that somebody chose so that they collide in a hash without a seed cost no more than
/// others. The steps of searches are counted in the tables.
final class HostileNamesTests: XCTestCase {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ bits: UInt64) -> UInt64 { bits ^ bits >> 32 }

    /// A quick hash of a name of 16 bytes, with nothing secret in it.
    private static func quickHash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        mixed(mixed((mixed((first ^ 16) &* factor) ^ second) &* factor) &* factor)
    }

    /// Names of 16 ASCII characters that all have one quick hash: the second half undoes what the
    /// first one does.
    private static func colliding(_ count: Int) -> [String] {
        var names: [String] = []
        var number: UInt64 = 0
        while names.count < count {
            number += 1
            let first = 0x3030_3030_3030_3030 + (number & 0x0f0f_0f0f | (number & 0xf0f0_f0f0) << 28)
            let second = mixed((first ^ 16) &* factor) ^ 0x5a5a_5a5a_5a5a_5a5a
            if (first | second) & 0x8080_8080_8080_8080 != 0 { continue }
            let bytes = withUnsafeBytes(of: (first.littleEndian, second.littleEndian), Array.init)
            names.append(String(decoding: bytes, as: UTF8.self))
        }
        XCTAssertEqual(Set(names).count, count)
        return names
    }

    private static let names = colliding(4_000)

    /// The slots that are looked at until each name is found, once for each.
    private static func steps(_ table: settle_log_names, count: Int) -> Int {
        var table = table
        var steps = 0
        for number in 0..<count {
            let place = table.names[number]
            var slot = Int(
                truncatingIfNeeded: settle_log_name_hash(&table, table.bytes + place.from, place.count))
            steps += 1
            while table.slots[slot & table.slots_mask] != UInt32(number) + 1 {
                steps += 1
                slot &+= 1
            }
        }
        return steps
    }

    func testTheNamesDoCollideWithoutASeed() {
        let hashes = Self.names.map { name in
            let bytes = Array(name.utf8)
            func half(_ start: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * $1) } }
            return Self.quickHash(half(0), half(8))
        }
        XCTAssertEqual(Set(hashes).count, 1)
    }

    func testATableOfThemIsSearchedInFewSteps() {
        for count in [2_000, 4_000] {
            let table = SceneNames()
            for (number, name) in Self.names.prefix(count).enumerated() {
                XCTAssertEqual(table.number(of: name).index, number, "numbers do not depend on the seed")
            }
            let steps = table.withTable { Self.steps($0.pointee, count: count) }
            XCTAssertLessThan(steps, 3 * count, "collisions take \(count * count / 2)")
        }
    }

    func testAWholeLogOfThemIsSearchedInFewSteps() throws {
        for count in [2_000, 4_000] {
            let scenes = SceneNames()
            let events = Self.names.prefix(count).enumerated().map { step, name in
                LogEvent.geometry(
                    scenes.number(of: name), at: Timestamp(nanoseconds: UInt64(step)), size: Size(width: 5, height: 5))
            }
            let bytes = try written(as: .settle, scenes: scenes, events)
            var read: [[settle_log_event]] = []
            for seed: [UInt64] in [[1, 2], [.max, 77]] {
                var (whole, contents) = (settle_log_whole(), settle_log_contents())
                bytes.withUnsafeBufferPointer { start in
                    XCTAssertEqual(settle_log_measure(start.baseAddress, start.count, false, &whole), 0)
                    let size = settle_log_whole_size(&whole)
                    let memory = GuardedMemory(byteCount: size)
                    XCTAssertEqual(settle_log_read_whole(&whole, seed, memory.start, size, &contents), 0)
                    XCTAssertEqual(Int(contents.names_count), count)
                    XCTAssertLessThan(Self.steps(contents.names, count: count), 3 * count)
                    read.append(Array(UnsafeBufferPointer(start: contents.events, count: contents.count)))
                }
            }
            XCTAssert(read.allSatisfy { $0.map(\.name) == (0..<UInt32(count)).map { $0 } }, "no number depends on it")
        }
    }

    func testEachTableHasASeedOfItsOwn() {
        let seeds = (0..<4).map { _ in SceneNames().withTable { [$0.pointee.seed.0, $0.pointee.seed.1] } }
        XCTAssertEqual(Set(seeds.flatMap { $0 }).count, 8)
    }

    /// As CPython hashes bytes: PYTHONHASHSEED=0 python3 -c 'print(hex(hash(b"\x01") % 2**64))'.
    func testTheHashIsSipHash13() {
        let hashes: [(count: Int, hash: UInt64)] = [
            (1, 0x44bc_103b_1f85_40ed), (3, 0x58c0_4bf1_747a_31b8), (7, 0xb410_12ae_ee05_c7d4),
            (8, 0xd22d_9341_176d_0728), (9, 0x4ec4_2971_d570_753b), (15, 0x566f_711d_32f5_9152),
            (16, 0x7e6b_fb8b_f1d3_6ac4), (17, 0xe115_16de_8399_dc83), (300, 0xed90_8fd2_36e8_42b5),
        ]
        var table = settle_log_names()
        for (count, hash) in hashes {
            let name = (0..<count).map { UInt8(($0 * 7 + 1) % 128) }
            XCTAssertEqual(settle_log_name_hash(&table, name, count), hash, "\(count) bytes")
        }
        table.seed.0 = 1
        XCTAssertNotEqual(settle_log_name_hash(&table, [1], 1), hashes[0].hash)
        table.seed = (0, 1)
        XCTAssertNotEqual(settle_log_name_hash(&table, [1], 1), hashes[0].hash)
    }
}

/// What names cost whose log has ended.
final class RemovedNamesTests: XCTestCase {
    private func slots(_ table: SceneNames) -> [UInt32] {
        table.withTable { Array(UnsafeBufferPointer(start: $0.pointee.slots, count: $0.pointee.slots_mask + 1)) }
    }

    /// The numbers that the table does not find by their names.
    private func lost(_ table: SceneNames, _ names: [Int: String]) -> [Int] {
        names.filter { number, name in
            table.withTable { Int(settle_log_find_name($0, name, name.utf8.count)) } != number
        }.keys.sorted()
    }

    func testARemovedNameMovesOnlyTheRunThatItStandsIn() {
        let table = SceneNames()
        var names: [Int: String] = [:]
        for step in 0..<900 { names[table.number(of: "name \(step)").index] = "name \(step)" }
        // Numbers are reused in another order than theirs: a table that is rebuilt by number would
        // have other runs.
        table.remove((0..<600).map { SceneNumber(rawValue: UInt32($0)) })
        for step in 0..<600 { names[table.number(of: "other \(step)").index] = "other \(step)" }
        for number in stride(from: 0, to: 900, by: 9) {
            let before = slots(table)
            let place = before.firstIndex(of: UInt32(number) + 1)!
            var end = place
            while before[end] != 0 { end = (end + 1) & (before.count - 1) }
            table.remove([SceneNumber(rawValue: UInt32(number))])
            names[number] = nil
            let after = slots(table)
            for slot in before.indices where before[slot] != after[slot] {
                XCTAssertLessThanOrEqual(
                    (slot - place) & (before.count - 1), (end - place) & (before.count - 1), "slot \(slot) of others")
            }
            XCTAssertEqual(after.count { $0 != 0 }, names.count)
            XCTAssertEqual(lost(table, names), [])
        }
    }

    /// Where the bytes of the next name would go.
    private func bytesUsed(_ table: SceneNames) -> Int {
        let last = table.number(of: "last")
        defer { table.remove([last]) }
        return table.withTable { $0.pointee.names[last.index].from }
    }

    func testThreeThousandClientsThatCameAndWentLeaveNoMemoryInUse() {
        let table = SceneNames()
        let stays = table.number(of: "stays")
        var most = 0
        for client in 0..<3_000 {
            let names = (0..<10).map { table.number(of: "client \(client), scene \($0)") }
            table.remove(names)
            most = max(most, bytesUsed(table))
        }
        XCTAssertEqual(table.count, 11)
        XCTAssertEqual(slots(table).count, 64)
        // Twice what one client has.
        XCTAssertLessThan(most, 600)
        XCTAssertEqual(table[stays], "stays")
        XCTAssertEqual(table.number(of: "stays"), stays)
    }
}
