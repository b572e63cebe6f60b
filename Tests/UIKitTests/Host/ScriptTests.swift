import TestSupport
import XCTest

@testable import UIKit

/// Scripts of what a person does: each command reaches the app, and faults name their line.
@MainActor final class ScriptTests: XCTestCase {
    private func run(_ text: String, platform: UISystem.Platform = .pad) throws -> (calls: [String], said: [String]) {
        let scenes = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        let app = try TestApp(platform: platform, scenes: scenes).launched()
        var said: [String] = []
        try UISystem.Script(text, name: "s").run(on: app.system) { said.append($0) }
        return (DelegateCalls.drain(), said)
    }

    func testLinesMayEndAsOnWindows() throws {
        let script = try UISystem.Script("wait 1s\r\n# nothing\r\n\r\nrotate landscapeLeft\r\n", name: "s")
        var said: [String] = []
        let app = try TestApp().launched()
        try script.run(on: app.system) { said.append($0) }
        XCTAssertEqual(said, ["wait 1s", "rotate landscapeLeft"])
        assertError(try UISystem.Script("wait 1s\r\nnonsense\r\n", name: "s"), "line 2")
    }

    func testAFaultsLineCountsEmptyOnes() throws {
        assertError(try UISystem.Script("wait 1s\n\n# nothing\n\nnonsense", name: "s"), "line 5")
    }

    func testEachCommandReachesTheApp() async throws {
        XCTAssertEqual(try run("open test://page").calls, ["open test://page"])
        XCTAssertEqual(try run("open test://page#part # it").calls, ["open test://page#part"])
        XCTAssertEqual(try run("rotate landscapeRight").calls, ["geometry"])
        XCTAssertEqual(try run("resize 700x500").calls, ["geometry"])
        XCTAssertEqual(try run("resize 700x500\nfullscreen").calls, ["geometry", "geometry"])
        XCTAssertEqual(try run("drag 700x500 10").calls, Array(repeating: "geometry", count: 12))
        XCTAssertEqual(
            try run("background\nforeground").calls,
            ["willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive"])
        XCTAssertEqual(
            try run("display 1920x1080\ndisplay off").calls,
            [
                "willConnectTo", "willEnterForeground", "geometry", "didBecomeActive", "willResignActive",
                "didEnterBackground", "didDisconnect",
            ])
        XCTAssertEqual(try run("wait 5s\ncover on\ncover off").calls, [])
    }

    func testTheLastDisplayIsTheOneThatIsDetached() async throws {
        let scenes = [TestApp.window: [TestApp.recorded], TestApp.external: [TestApp.recorded]]
        let app = try TestApp(scenes: scenes).launched()
        func run(_ text: String) throws { try UISystem.Script(text, name: "s").run(on: app.system) { _ in } }
        func displays() -> [CGFloat] { app.system.screens.dropFirst().map(\.bounds.width) }
        try run("display 800x600\ndisplay 1920x1080\ndisplay 640x480\ndisplay off")
        XCTAssertEqual(displays(), [800, 1920])
        try run("display 320x200\ndisplay off\ndisplay off")
        XCTAssertEqual(displays(), [800])
    }

    func testAScriptChoosesTabsAndShowsTheSidebar() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let controller = app.showing(UITabBarController(tabs: [UITab("home"), UITabGroup("my library", [UITab("a")])]))
        func run(_ text: String) throws { try UISystem.Script(text, name: "s").run(on: app.system) { _ in } }
        try run("tab my library\nsidebar hide")
        XCTAssertEqual(controller.selectedTab?.identifier, "a")
        XCTAssertEqual(app.system.tabPlacement(of: controller), .top)
        try run("sidebar show\ntab home")
        XCTAssertEqual(controller.selectedTab?.identifier, "home")
        XCTAssertEqual(app.system.tabPlacement(of: controller), .sidebar)
        XCTAssertThrowsError(try run("wait 1s\ntab away")) { error in
            XCTAssert("\(error)".hasPrefix("s: line 2: 'tab away' was refused: no tab bar controller"), "\(error)")
        }
    }

    func testAScriptDismissesTheTopmostSheet() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let (root, sheet) = (app.showing(UIViewController()), UIViewController())
        root.present(sheet, animated: false)
        let script = try UISystem.Script("dismiss", name: "s")
        try script.run(on: app.system) { _ in }
        XCTAssertNil(root.presentedViewController)
        assertError(try script.run(on: app.system) { _ in }, "no view controller is presented")
    }

    func testCommentsAreNotCommandsAndCommandsArePrinted() async throws {
        XCTAssertEqual(try run("# nothing\n\n  wait   10ms # a moment\n").said, ["wait 10ms"])
    }

    func testADragEndsAtItsSizeInItsTime() async throws {
        let app = try TestApp().launched()
        try UISystem.Script("drag 701x503 250", name: "s").run(on: app.system) { _ in }
        XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.size, CGSize(701, 503))
        XCTAssertFalse(app.scene.effectiveGeometry.isInteractivelyResizing)
        XCTAssertEqual(app.system.now.nanoseconds, 250_000_000)
    }

    func testWhatIsNotACommandIsReportedWithItsLine() async {
        for line in [
            "jump", "wait", "wait 5", "wait -5ms", "wait 90000s", "wait 1s 2s", "open", "rotate sideways",
            "rotate unknown", "drag 0x5 3", "drag 500x500", "drag 500x500 0", "drag 500x500 100001", "resize 5",
            "drag 1e30x500 5", "resize nanx5", "display maybe", "cover", "cover maybe", "kill now",
        ] {
            XCTAssertThrowsError(try UISystem.Script("wait 1s\n\(line)", name: "s"), line) { error in
                XCTAssert("\(error)".hasPrefix("s: line 2: '\(line)' is not a command; commands are wait"), "\(error)")
            }
        }
        XCTAssertThrowsError(try UISystem.Script(path: "/no/such.script")) { error in
            XCTAssertEqual("\(error)", "/no/such.script: cannot be read as UTF-8 text; use the path of a script")
        }
    }

    func testWhatThePlatformRefusesIsReportedWithItsLine() async throws {
        XCTAssertThrowsError(try run("wait 1s\nresize 300x300", platform: .phone)) { error in
            XCTAssert(
                "\(error)".hasPrefix("s: line 2: 'resize 300x300' was refused: the scene's size is fixed"), "\(error)")
        }
        assertError(try run("display off"), "not an attached external display")
    }
}
