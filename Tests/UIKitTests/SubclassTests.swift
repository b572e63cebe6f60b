import SubclassesInSwift5
import SubclassesInSwift6
import UIKit
import XCTest

/// Subclasses of what is open, in both language modes. Most of the test is that they compile.
@MainActor final class SubclassTests: AppTestCase {
    func testSubclassesAreMadeAndDeallocated() async {
        typealias InSwift5 = SubclassesInSwift5.Subclasses
        typealias InSwift6 = SubclassesInSwift6.Subclasses
        let before = (InSwift5.deallocations, InSwift6.deallocations)
        let counts = autoreleased { (InSwift5.makeAll().count, InSwift6.makeAll().count) }
        XCTAssertEqual(counts.0, counts.1)
        XCTAssertGreaterThan(counts.0, 20)
        XCTAssertEqual(InSwift5.deallocations - before.0, counts.0)
        XCTAssertEqual(InSwift6.deallocations - before.1, counts.1)
    }

    func testNamesOfAppsCompile() async {
        XCTAssertEqual(SubclassesInSwift5.Names.all().count, SubclassesInSwift6.Names.all().count)
    }

    private func autoreleased<Result>(_ body: () -> Result) -> Result { body() }

    func testTheColumnsOfADeallocatedSplitViewControllerLeaveTheEngine() async throws {
        final class Split: UISplitViewController {
            deinit { _ = 0 }
        }
        let app = try TestApp(.pad, 1000, 800)
        let window = app.show(UIViewController())
        let scenes = app.system.statistics.scenes
        var split: Split? = Split(style: .doubleColumn)
        split?.setViewController(UIViewController(), for: .primary)
        split?.setViewController(UIViewController(), for: .secondary)
        window.rootViewController = split
        XCTAssertEqual(app.system.statistics.scenes, scenes + 2)
        window.rootViewController = UIViewController()
        weak let last = split
        split = nil
        XCTAssertNil(last)
        XCTAssertEqual(app.system.statistics.scenes, scenes)
    }
}
