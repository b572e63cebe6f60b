import Foundation
import TestSupport
import XCTest

@testable import Settle

/// The cases of Tests/Cases/policies, through what Swift has of its own for policies and durations.
final class PolicyCaseTests: XCTestCase {
    func testEachPolicyIsDecodedAndEncodedAsTheCoreReadsIt() throws {
        let standard = Dictionary(uniqueKeysWithValues: Policy.default.texts.map { ($0.name, $0.text) })
        var count = 0
        for pair in try CasePair.all(of: "policies") where pair.input.first != "\"" {
            count += 1
            let decoded = Result { try JSONDecoder().decode(Policy.self, from: Data(pair.input.utf8)) }
            if pair.sign == "=" {
                let words = pair.answer.split(separator: " ").map(String.init)
                var expected = standard
                for index in stride(from: 0, to: words.count, by: 2) {
                    expected[words[index]] = .some(words[index + 1] == "none" ? nil : words[index + 1])
                }
                let differing = try decoded.get().names(differingFrom: .default)
                XCTAssertEqual(Set(differing), Set(words.indices.filter { $0 % 2 == 0 }.map { words[$0] }), pair.place)
                let encoded = try JSONEncoder().encode(decoded.get())
                let texts = try JSONDecoder().decode([String: String?].self, from: encoded)
                XCTAssertEqual(texts, expected, pair.place)
            } else if let fault = pair.answer.firstMatch(of: #/^(\w*) (is|cannot) (?!given twice)/#), fault.1 != "a" {
                XCTAssertThrowsError(try decoded.get(), pair.place) { error in
                    guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
                    XCTAssertEqual(context.debugDescription, pair.answer)
                    XCTAssertEqual(context.codingPath.last?.stringValue, String(fault.1))
                }
            } else if pair.answer.contains(#/must be a string|is an object/#) {
                // What is no JSON is Foundation's to judge.
                XCTAssertThrowsError(try decoded.get(), pair.place) { XCTAssert($0 is DecodingError) }
            }
        }
        XCTAssertGreaterThan(count, 80)
    }

    func testEachDurationIsReadAndWrittenAsTheCoreDoes() throws {
        var count = 0
        for pair in try CasePair.all(of: "policies") where pair.input.first == "\"" {
            count += 1
            let nanoseconds = Duration.nanoseconds(of: String(pair.input.dropFirst().dropLast()))
            XCTAssertEqual(nanoseconds == nil, pair.sign == "!", pair.place)
            guard let nanoseconds, nanoseconds <= Int64.max else { continue }
            let duration = Duration.nanoseconds(Int64(nanoseconds))
            let forms = [
                duration.withUnit, duration.text, duration.exactText, Timestamp(nanoseconds: nanoseconds).description,
            ]
            let expected = pair.answer.components(separatedBy: " | ")
            XCTAssertEqual(Array(forms.prefix(expected.count)), expected, pair.place)
            XCTAssertEqual((.zero - duration).text, (nanoseconds > 0 ? "-" : "") + forms[1], pair.place)
        }
        XCTAssertGreaterThan(count, 90)
    }
}
