import SettleLog
import TestSupport
import XCTest

@testable import UIKit

/// What a host prints and draws of two scenes at once, and of parts that people do not see.
@MainActor final class TwoScenesTests: AppTestCase {
    func testBriefFoldsTheSizesOfEachSceneApart() async throws {
        var lines: [String] = []
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        let trace = UISystem.CallbackTrace(.brief) { lines.append($0) }
        trace.attach(to: app.system)
        let scenes = [app.scene, other]
        for scene in scenes { try app.system.beginResize(scene) }
        for (scene, widths) in [(0, [701, 702]), (1, [601, 602]), (0, [703]), (1, [603])] {
            for width in widths { try app.system.resize(scenes[scene], to: CGSize(CGFloat(width), 500)) }
        }
        trace.note("wait 1s")
        let name = "didUpdateEffectiveGeometry"
        XCTAssertEqual(
            lines.map { String($0.dropFirst(13)) },
            [
                "window    \(name)  resizing begins", "window 2  \(name)  resizing begins",
                "window    \(name)  2 sizes, 1024×1366 → 702×500, resizing",
                "window 2  \(name)  2 sizes, 1024×1366 → 602×500, resizing",
                "window    \(name)  702×500 → 703×500, resizing", "window 2  \(name)  602×500 → 603×500, resizing", "",
            ])
        XCTAssertEqual(lines.last, "> wait 1s")
        trace.flush()
        XCTAssertEqual(lines.count, 7)
    }

    func testTimesDoNotCountFromTheLaunch() async throws {
        var lines: [String] = []
        let app = try TestApp()
        UISystem.CallbackTrace(.full) { lines.append($0) }.attach(to: app.system)
        try app.system.launch(PlainAppDelegate.self, connectsScene: false)
        app.system.advance(by: .seconds(5))
        try app.system.connect()
        app.system.advance(by: .milliseconds(1234))
        app.system.terminate()
        XCTAssertEqual(lines.first, "    0.000 s  app       willFinishLaunching")
        XCTAssert(lines.contains("    0.000 s  window    sceneDidBecomeActive"), "\(lines)")
        XCTAssertEqual(lines.last, "    1.234 s  app       applicationWillTerminate")
    }

    func testEqualLayoutsOfTwoScenesAreBothDrawn() async throws {
        let folder = TemporaryFolder()
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        try XCTUnwrap(UISystem.LayoutTrace(folder: URL(fileURLWithPath: folder.path))).attach(to: app.system)
        for scene in [app.scene, other] { _ = UIWindow.show(UIViewController(), in: scene) }
        for size in [CGSize(700, 500), CGSize(800, 500)] {
            for scene in [app.scene, other] { try app.system.resize(scene, to: size) }
        }
        try app.system.resize(app.scene, to: CGSize(700, 500))
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
            [
                "0001-700x500.svg", "0002-700x500.svg", "0003-800x500.svg", "0004-800x500.svg", "0005-700x500.svg",
            ])
    }

    func testADragsStepsAreTheNearestWholePoints() async throws {
        try app.resize(1000, 1000)
        app.delegate.geometries = []
        try UISystem.Script("drag 990 4\n".replacing("990", with: "990x1003"), name: "s").run(on: app.system) { _ in }
        // 997.5 and 992.5 are no whole points, nor are 1000.75 and its like.
        XCTAssertEqual(
            app.delegate.geometries.map { $0.current.coordinateSpace.bounds.size.text },
            ["1000×1000", "998×1001", "995×1002", "993×1002", "990×1003", "990×1003"])
    }

    func testAScriptDragsTheSplitViewThatIsShownWhereverItsPrimaryEdgeIs() async throws {
        try app.resize(1200, 800)
        let splits = (0..<2).map { _ in UISplitViewController(style: .doubleColumn) }
        for split in splits {
            split.primaryEdge = .trailing
            for column in [UISplitViewController.Column.primary, .secondary] {
                split.setViewController(UIViewController(), for: column)
            }
        }
        let tabs = UITabBarController(nibName: nil, bundle: nil)
        tabs.viewControllers = splits
        app.show(tabs)
        tabs.selectedIndex = 1
        try UISystem.Script("separator primary 250 3", name: "s").run(on: app.system) { _ in }
        XCTAssertEqual(splits.map(\.primaryColumnWidth), [320, 250])
    }
}
