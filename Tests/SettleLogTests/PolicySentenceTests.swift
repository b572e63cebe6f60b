import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

/// Options, `Codable` and policy files give a value by its text: all have the same policy of it, or the same sentence
/// about what is wrong.
final class PolicySentenceTests: XCTestCase {
    private let folder = TemporaryFolder()

    /// The policy as an option gives it, or what is said.
    private func fromTexts(_ name: String, _ text: String?) -> String {
        do throws(PolicyFault) { return try Policy(texts: [(name, text)]).jsonLine } catch {
            return "\(error.name) \(error.problem)"
        }
    }

    private func fromCodable(_ json: String) -> String {
        do { return try JSONDecoder().decode(Policy.self, from: Data(json.utf8)).jsonLine } catch {
            guard case .dataCorrupted(let context)? = error as? DecodingError else { return "\(error)" }
            return context.debugDescription
        }
    }

    private func fromFile(_ json: String) throws -> String {
        let path = folder.file("policy.json")
        try json.write(toFile: path, atomically: true, encoding: .utf8)
        do { return try Policy.read(path: path).policy.jsonLine } catch { return (error as LogError).problem }
    }

    func testEveryWayOfATextHasTheSamePolicyOrSentence() throws {
        let texts: [String?] = [
            "0s", "1ns", "250ms", "2h", "100000000h", "none", nil, "5", "-1ms", "", "0%", "1%", "30%", "101%", "x%",
        ]
        var said: Set<String> = []
        for name in Policy.names {
            for text in texts {
                let json = "{\"\(name)\":\(text.map { "\"\($0)\"" } ?? "null")}"
                let one = fromTexts(name, text)
                XCTAssertEqual(fromCodable(json), one, json)
                XCTAssertEqual(try fromFile(json), one, json)
                said.insert(one)
            }
        }
        XCTAssertGreaterThan(said.count, 80)
    }

    func testATypoHasOneSentence() throws {
        let names = ["quietdelay", "quietDelays", "lokDelay", "liveShar", "delay", "", "é", "someThingElseEntirely"]
        for name in names {
            let (json, one) = ("{\"\(name)\":\"1ms\"}", fromTexts(name, "1ms"))
            XCTAssertEqual(fromCodable(json), one)
            XCTAssertEqual(try fromFile(json).replacingOccurrences(of: "\"", with: ""), one)
        }
        XCTAssertEqual(
            fromTexts("quietDelays", "1ms"), "quietDelays is no duration of a policy; did you mean 'quietDelay'?")
    }

    func testAListOfPoliciesHasABound() {
        let path = folder.file("list")
        XCTAssert(FileManager.default.createFile(atPath: path, contents: nil))
        for (bytes, isTooLong) in [(Policy.listBytesMax, false), (Policy.listBytesMax + 1, true)] {
            XCTAssertEqual(truncate(path, bytes), 0)
            XCTAssertThrowsError(try Policy.readList(path: path, most: 9)) {
                XCTAssertEqual("\($0)".contains("it is longer than 67108864 bytes"), isTooLong, "\($0)")
            }
        }
    }
}
