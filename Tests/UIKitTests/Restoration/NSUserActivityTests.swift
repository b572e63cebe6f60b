import XCTest

@testable import UIKit

/// Activities and what of them can be stored.
final class NSUserActivityTests: XCTestCase {
    private func restored(_ userInfo: [AnyHashable: Any]?) throws -> NSUserActivity {
        let activity = NSUserActivity(activityType: "test.state")
        activity.title = "A title"
        activity.userInfo = userInfo
        let encoded = try PropertyListEncoder().encode(StoredActivity(activity))
        return try PropertyListDecoder().decode(StoredActivity.self, from: encoded).activity
    }

    func testEntriesAreAddedAndReplaced() {
        let activity = NSUserActivity(activityType: "test.state")
        XCTAssertNil(activity.userInfo)
        activity.addUserInfoEntries(from: ["a": 1, "b": 2])
        activity.addUserInfoEntries(from: ["b": 3])
        XCTAssertEqual(activity.userInfo as? [String: Int], ["a": 1, "b": 3])
    }

    func testEveryPropertyListTypeComesBack() throws {
        let date = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456)
        let info: [AnyHashable: Any] = [
            "string": "Füße\u{0}", "smallest": Int.min, "largest": UInt64.max, "real": 0.1, "float": Float(2.5),
            "cgFloat": CGFloat(3.25), "yes": true, "no": false, "date": date, "data": Data([0, 255]),
            "list": [1, "two", [3.5], ["four": 4]] as [Any], "none": [String: Any](), "number": NSNumber(value: 7),
        ]
        let activity = try restored(info)
        XCTAssertEqual(activity.activityType, "test.state")
        XCTAssertEqual(activity.title, "A title")
        let back = try XCTUnwrap(activity.userInfo)
        XCTAssertEqual(back.count, info.count)
        XCTAssertEqual(back["string"] as? String, "Füße\u{0}")
        XCTAssertEqual(back["smallest"] as? Int, Int.min)
        XCTAssertEqual(back["largest"] as? UInt64, UInt64.max)
        XCTAssertEqual(back["real"] as? Double, 0.1)
        XCTAssertEqual(back["float"] as? Double, 2.5)
        XCTAssertEqual(back["cgFloat"] as? Double, 3.25)
        XCTAssertEqual(back["yes"] as? Bool, true)
        XCTAssertEqual(back["no"] as? Bool, false)
        XCTAssertEqual(back["date"] as? Date, date)
        XCTAssertEqual(back["data"] as? Data, Data([0, 255]))
        XCTAssertEqual((back["none"] as? [String: Any])?.count, 0)
        XCTAssertEqual(back["number"] as? Int, 7)
        let list = try XCTUnwrap(back["list"] as? [Any])
        XCTAssertEqual(list[0] as? Int, 1)
        XCTAssertEqual(list[1] as? String, "two")
        XCTAssertEqual(list[2] as? [Double], [3.5])
        XCTAssertEqual(list[3] as? [String: Int], ["four": 4])
    }

    func testNoUserInfoStaysNone() throws {
        XCTAssertNil(try restored(nil).userInfo)
        XCTAssertEqual(try restored([:]).userInfo?.count, 0)
    }

    func testAStoredActivityWithoutATypeIsNoActivity() throws {
        let encoded = try PropertyListEncoder().encode(StoredActivity(NSUserActivity(activityType: "x")))
        var list = try XCTUnwrap(PropertyListSerialization.propertyList(from: encoded, format: nil) as? [String: Any])
        XCTAssertEqual(list["activityType"] as? String, "x")
        list["activityType"] = ""
        let emptied = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        XCTAssertThrowsError(try PropertyListDecoder().decode(StoredActivity.self, from: emptied))
    }
}
