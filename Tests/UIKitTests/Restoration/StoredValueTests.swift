import TestSupport
import XCTest

@testable import UIKit

/// Values that `userInfo` may have are restored unchanged; one that it may not have removes its entry.
final class StoredValueTests: XCTestCase {
    private func stored(_ info: [AnyHashable: Any]) throws -> StoredDictionary {
        let made = try StoredDictionary(info, named: "userInfo")
        let file = try SessionFile.bytes(of: StoredSession(persistentIdentifier: "s", role: "r", userInfo: made))
        guard case .session(let session) = SessionFile.content(of: file) else { throw CocoaError(.fileReadCorruptFile) }
        XCTAssertEqual(try XCTUnwrap(session.userInfo).leftOut, [], "reported once, and not stored")
        return made
    }

    private func restored(_ info: [AnyHashable: Any]) throws -> [AnyHashable: Any] {
        let encoded = try PropertyListEncoder().encode([stored(info)])
        return try PropertyListDecoder().decode([StoredDictionary].self, from: encoded)[0].dictionary
    }

    /// A value as text, with dictionaries and sets in order, and with its type.
    private func text(_ value: Any) -> String {
        switch StoredContent(value) {
        case .array(let elements): return "array\(elements.map(text))"
        case .set(let elements): return "set\(elements.map(text).sorted())"
        case .dictionary(let entries):
            return "dictionary\(entries.map { "\(text($0.key)): \(text($0.value))" }.sorted())"
        case nil: break
        }
        switch value {
        case is NSNull: return "null"
        case let url as URL: return "url(\(url.relativeString), \(url.baseURL?.absoluteString ?? "-"))"
        case let uuid as UUID: return "uuid(\(uuid))"
        case let string as String: return "string(\(string))"
        case let date as Date: return "date(\(date.timeIntervalSinceReferenceDate))"
        case let data as Data: return "data(\(data.base64EncodedString()))"
        case let number as NSNumber:
            // Only Booleans are made of a char here.
            return String(cString: number.objCType) == "c" ? "\(number.boolValue)" : "number(\(number))"
        default: return "other(\(type(of: value)))"
        }
    }

    /// The hashes of two differ on Linux, though they are equal.
    private let null = NSNull()

    private func leaf(_ random: inout SplitMix64) -> AnyHashable {
        switch random.below(12) {
        case 0: null
        case 1: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(random.below(256))))
        case 2: URL(string: "https://example.com/a%20b?\(random.below(100))#x")!
        case 3: URL(string: "p?q=\(random.below(9))", relativeTo: URL(string: "http://example.com/base/"))!
        case 4: URL(fileURLWithPath: "/tmp/ü \(random.below(100))")
        case 5: Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 30)) / 1024)
        case 6: Data((0..<random.below(40)).map { UInt8($0) })
        case 7: Int(truncatingIfNeeded: random.next())
        case 8: Double(random.below(1 << 20)) / 64
        case 9: random.chance(50)
        case 10: "$\(["Set", "URL", "Null", "Dictionary", "other"][random.below(5)])"
        default: "string \(random.below(50)) ü\u{0}"
        }
    }

    private func hashable(_ random: inout SplitMix64, _ depth: Int) -> AnyHashable {
        switch depth > 0 ? random.below(8) : 7 {
        case 0: (0..<random.below(4)).map { _ in hashable(&random, depth - 1) }
        case 1: Set((0..<random.below(4)).map { _ in hashable(&random, depth - 1) })
        case 2:
            Dictionary(
                (0..<random.below(4)).map { _ in (hashable(&random, 0), hashable(&random, depth - 1)) },
                uniquingKeysWith: { first, _ in first })
        default: leaf(&random)
        }
    }

    private func value(_ random: inout SplitMix64, _ depth: Int) -> Any {
        switch depth > 0 ? random.below(8) : 7 {
        case 0, 1: dictionary(&random, depth - 1)
        case 2: (0..<random.below(4)).map { _ in value(&random, depth - 1) }
        case 3: Set((0..<random.below(4)).map { _ in hashable(&random, depth - 1) })
        default: leaf(&random).base
        }
    }

    private func dictionary(_ random: inout SplitMix64, _ depth: Int) -> [AnyHashable: Any] {
        let onlyStrings = random.chance(60)
        var dictionary: [AnyHashable: Any] = [:]
        for number in 0..<random.below(5) {
            let key: AnyHashable = onlyStrings ? "key \(number)" : hashable(&random, 1)
            dictionary[key] = value(&random, depth)
        }
        return dictionary
    }

    func testEveryNestingOfAllAllowedTypesComesBack() throws {
        let seed: UInt64 = 19
        var random = SplitMix64(seed: seed)
        var entries = 0
        for round in 0..<300 {
            let info = dictionary(&random, 4)
            entries += info.count
            XCTAssertEqual(try stored(info).leftOut, [], "round \(round), seed \(seed)")
            XCTAssertEqual(text(try restored(info)), text(info), "round \(round), seed \(seed)")
        }
        XCTAssertGreaterThan(entries, 300, "they were not all empty")
    }

    func testWhatComesBackIsOfSwiftsTypes() throws {
        let uuid = UUID()
        let info: [AnyHashable: Any] = [
            "url": NSURL(string: "a:b")!, "uuid": NSUUID(uuidString: uuid.uuidString)!, "null": NSNull(),
            "set": NSSet(array: ["x", "y"]), "numbers": Set([1.0, 2.5]), "lists": Set([[1], [2]]),
            "mixed": Set<AnyHashable>([true, 1, "1"]), 7: "seven", uuid: "by uuid",
            "old": NSDictionary(object: NSArray(object: NSNull()), forKey: "k" as NSString),
        ]
        let back = try restored(info)
        XCTAssertEqual(back.count, info.count)
        XCTAssertEqual(back["url"] as? URL, URL(string: "a:b"))
        XCTAssertEqual(back["uuid"] as? UUID, uuid)
        XCTAssert(back["null"] is NSNull)
        XCTAssertEqual(back["set"] as? Set<String>, ["x", "y"])
        XCTAssertEqual(back["numbers"] as? Set<Double>, [1, 2.5])
        XCTAssertEqual(back["lists"] as? Set<[Int]>, [[1], [2]])
        XCTAssertEqual((back["mixed"] as? Set<AnyHashable>)?.count, 3)
        XCTAssertEqual(back[7] as? String, "seven")
        XCTAssertEqual(back[uuid] as? String, "by uuid")
        XCTAssert(((back["old"] as? [String: Any])?["k"] as? [Any])?.first is NSNull)
    }

    func testWhatCannotBeStoredCostsOneEntryAndIsNamed() throws {
        struct Own {}
        let cases: [([AnyHashable: Any], location: String, problem: String)] = [
            (["list": [1, 2, Own()] as [Any]], "userInfo.list[2]", "of type Own"),
            (["a": ["b": [NSObject()], "c": 1]], "userInfo.a.b[0]", "of type NSObject"),
            (["gone": String?.none as Any], "userInfo.gone", "Optional<String>"),
            (
                ["old": NSArray(object: NSDictionary(object: NSObject(), forKey: "k" as NSString))],
                "userInfo.old[0].k", "NSObject"
            ),
            ([Set([3]): ["x": Own()]], "userInfo[[3]].x", "of type Own"),
        ]
        for (var info, place, problem) in cases {
            info["good"] = 1
            let stored = try stored(info)
            XCTAssertEqual(stored.leftOut.map(\.location), [place])
            XCTAssertEqual(stored.leftOutCount, 1)
            XCTAssert(stored.leftOut.allSatisfy { $0.kind == .unstorable && $0.problem.contains(problem) }, place)
            XCTAssertEqual(stored.dictionary["good"] as? Int, 1)
        }
        // The innermost dictionary loses an entry; what stands beside it stays.
        let kept = try restored(["a": ["b": [NSObject()], "c": 1] as [String: Any], "d": 2])
        XCTAssertEqual(text(kept), text(["a": ["c": 1], "d": 2]))
    }

    func testNestingUpToTheLimit() throws {
        func nested(_ levels: Int, _ core: Any) -> [AnyHashable: Any] {
            ["v": (0..<levels).reduce(core) { value, _ in [value] }, "w": 1]
        }
        // The dictionary is one level, and the value within the last array another.
        let most = StoredValue.nestingMax - 2
        for core in ["core", NSNull(), Set([1]), URL(string: "a:b")!] as [Any] {
            XCTAssertNotNil(try restored(nested(most, core is Set<Int> ? "x" : core))["v"])
            let stored = try stored(nested(most + 1, core))
            XCTAssertNil(stored.dictionary["v"])
            XCTAssertEqual(stored.dictionary["w"] as? Int, 1)
            XCTAssert(stored.leftOut.first?.problem.contains("levels deep") == true, "\(stored.leftOut)")
        }
    }

    func testOfManyThatCannotBeStoredTheFirstAreNamedAndAllCounted() throws {
        let count = 3 * StoredValueEncoder.leftOutMax + 5
        let keys = (0..<count).map { "key \(1000 + $0)" }
        let stored = try stored(Dictionary(uniqueKeysWithValues: keys.map { ($0, NSObject()) }))
        XCTAssertEqual(
            stored.leftOut.map(\.location), keys.prefix(StoredValueEncoder.leftOutMax).map { "userInfo.\($0)" })
        XCTAssertEqual(stored.leftOutCount, count)
    }

    func testTagsThatStandForNothingAreCorruptAndNeverTrap() throws {
        let bad: [Any] = [
            ["$UUID": "x"], ["$UUID": 1], ["$URL": []], ["$URL": ["a", "b", "c"]], ["$URL": "a:b"],
            ["$Set": [["$Other": 1]]],
            ["$Set": 1], ["$Dictionary": [1]], ["$Dictionary": 1], ["$Other": 1], [["$Other": 1]],
            ["a": 1, "b": ["$Other": 1]],
        ]
        for plain in bad { XCTAssertNil(StoredValue.value(of: plain), "\(plain)") }
        // What is there twice is there once.
        XCTAssertEqual(text(StoredValue.value(of: ["$Set": [1, 1]]) as Any), text(Set([1])))
        let nulls = Array(repeating: ["$Null": true], count: 9)
        XCTAssertEqual(text(StoredValue.value(of: ["$Set": nulls]) as Any), text(Set([null])))
    }

    func testAnOlderFilesKeysWithADollarAreTheAppsOwn() throws {
        let plain: [String: Any] = ["$URL": ["a:b"], "x": 1]
        let one: [String: Any] = ["$UUID": "mine"]
        for info in [plain, one] {
            let data = try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            let payload = try PropertyListSerialization.data(
                fromPropertyList: ["persistentIdentifier": "s", "role": "r", "userInfo": data], format: .binary,
                options: 0)
            guard
                case .session(let session) = SessionFile.content(
                    of: SessionFileTests.sealed(Array(payload), version: 1))
            else { return XCTFail("not read") }
            XCTAssertEqual(text(session.userInfo?.dictionary as Any), text(info))
            let again = try SessionFile.bytes(of: session)
            guard case .session(let second) = SessionFile.content(of: again) else { return XCTFail("not read again") }
            XCTAssertEqual(text(second.userInfo?.dictionary as Any), text(info))
        }
    }
}
