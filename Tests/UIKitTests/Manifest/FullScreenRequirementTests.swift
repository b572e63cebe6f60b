import UIKit
import XCTest

/// The keys that opt out of resizing, and since when they are ignored.
final class FullScreenRequirementTests: XCTestCase {
    private let key = "UIRequiresFullScreen"
    private let versionKey = "UIRequiresFullScreenIgnoredStartingWithVersion"

    private func version(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OperatingSystemVersion {
        OperatingSystemVersion(majorVersion: major, minorVersion: minor, patchVersion: patch)
    }

    func testWithoutTheKeyNothingIsRequired() throws {
        for info in try [infoPlist([:]), infoPlist([key: false]), InfoPropertyList()] {
            XCTAssertFalse(info.fullScreen.applies(on: version(18)))
            XCTAssertEqual(info.warnings, [])
        }
    }

    func testRequiredOnEveryVersionAndDeprecated() throws {
        let info = try infoPlist([key: true])
        for version in [version(9), version(26), version(99, 9, 9)] {
            XCTAssertTrue(info.fullScreen.applies(on: version))
        }
        XCTAssertEqual(info.warnings.count, 1)
        XCTAssert(info.warnings[0].hasPrefix("Info.plist: \(key): deprecated"), info.warnings[0])
    }

    func testIgnoredFromTheVersionOn() throws {
        let cases: [(String, last: OperatingSystemVersion, first: OperatingSystemVersion)] = [
            ("26", version(18, 7, 2), version(26)),
            ("26.0.0", version(25, 99, 99), version(26)),
            ("26.1", version(26, 0, 5), version(26, 1)),
            ("26.1.2", version(26, 1, 1), version(26, 1, 2)),
            ("9.10", version(9, 9), version(9, 10)),
        ]
        for (text, last, first) in cases {
            let requirement = try infoPlist([key: true, versionKey: text]).fullScreen
            XCTAssertTrue(requirement.applies(on: last), text)
            XCTAssertFalse(requirement.applies(on: first), text)
            XCTAssertFalse(requirement.applies(on: version(99)), text)
        }
    }

    func testTheVersionAloneHasNoEffectAndWarns() throws {
        for content in [[versionKey: "26"], [versionKey: "26", key: false] as [String: Any]] {
            let info = try infoPlist(content)
            XCTAssertFalse(info.fullScreen.applies(on: version(18)))
            XCTAssertEqual(info.warnings, ["Info.plist: \(versionKey): has no effect unless \(key) is true; remove it"])
        }
    }

    func testTheOtherSpellingIsReadWithAWarning() throws {
        let info = try infoPlist(["UIRequiresFullscreen": true])
        XCTAssertTrue(info.fullScreen.isRequired)
        XCTAssertEqual(info.warnings.count, 2)
        XCTAssert(info.warnings[0].hasPrefix("Info.plist: UIRequiresFullscreen: read as \(key)"), info.warnings[0])

        let both = try infoPlist(["UIRequiresFullscreen": true, key: false])
        XCTAssertFalse(both.fullScreen.isRequired)
        XCTAssertEqual(both.warnings, ["Info.plist: UIRequiresFullscreen: ignored, as \(key) is there; remove it"])
    }

    func testABooleanMayBeANumberOrAWord() throws {
        let values: [(Any, Bool)] = [
            (1, true), (0, false), ("YES", true), ("NO", false), ("true", true), ("False", false),
        ]
        for (value, isRequired) in values {
            XCTAssertEqual(try infoPlist([key: value]).fullScreen.isRequired, isRequired, "\(value)")
        }
    }

    func testWrongValuesAreReported() {
        XCTAssertEqual(refusal(try infoPlist([key: "on"])), "Info.plist: \(key): expected a boolean, found a string")
        XCTAssertEqual(
            refusal(try infoPlist(["UIRequiresFullscreen": 2])),
            "Info.plist: UIRequiresFullscreen: expected a boolean, found a number")
        XCTAssertEqual(
            refusal(try infoPlist([versionKey: 26])), "Info.plist: \(versionKey): expected a string, found a number")
        for text in ["", "iOS 26", "26.", ".1", "26.1.2.3", "-26", "+26", "99999999999999999999"] {
            XCTAssertEqual(
                refusal(try infoPlist([key: true, versionKey: text])),
                "Info.plist: \(versionKey): expected a version such as 26 or 26.1, found \"\(text)\"")
        }
    }
}
