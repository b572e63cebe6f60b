import XCTest

@testable import UIKit

/// The safe area.
@MainActor final class SafeAreaTests: AppTestCase {
    private func shown(_ insets: UIEdgeInsets) throws -> (TestApp, InsetController) {
        let app = try TestApp().launched()
        let controller = app.showing(InsetController("root"))
        try app.system.setSafeAreaInsets(insets, of: app.scene)
        return (app, controller)
    }

    func testThePlatformHasInsetsForEachOrientationAndForWindows() async throws {
        var platform = UISystem.Platform.pad
        platform.sceneInsets = UISystem.SceneInsets(
            portrait: UIEdgeInsets(24, 0, 20, 0), landscape: UIEdgeInsets(20, 5, 20, 5),
            window: UIEdgeInsets(10, 0, 0, 0))
        let app = try TestApp(platform: platform).launched()
        let controller = app.showing(UIViewController())
        XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(20, 5, 20, 5))
        try app.resize(700, 500)
        XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(10, 0, 0, 0))
        for insets in [UIEdgeInsets(-1, 0, 0, 0), UIEdgeInsets(0, .nan, 0, 0), UIEdgeInsets(0, 0, .infinity, 0)] {
            try app.system.setSafeAreaInsets(insets, of: app.scene)
            XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(10, 0, 0, 0), "ignored")
        }
    }

    func testAViewThatMarksItselfForItsInsetsIsLaidOutOnce() async throws {
        final class Marking: RecordingView {
            override func safeAreaInsetsDidChange() { setNeedsLayout() }
        }
        let (app, controller) = try shown(.zero)
        let view = Marking("view", frame: CGRect(0, 0, 100, 100))
        app.turn { controller.view.addSubview(view) }
        let layouts = view.layouts
        try app.system.setSafeAreaInsets(UIEdgeInsets(30, 0, 0, 0), of: app.scene)
        XCTAssertEqual(view.safeAreaInsets.top, 30)
        XCTAssertEqual(view.layouts, layouts + 1)
    }

    func testInsetsThatChangeBeforeALayoutAreToldInTheSameTurn() async throws {
        final class Adding: InsetController {
            override func viewWillLayoutSubviews() { additionalSafeAreaInsets.top = view.bounds.width / 100 }
        }
        let app = try TestApp().launched()
        let controller = app.showing(Adding("root"))
        try app.resize(800, 600)
        DelegateCalls.all = []
        try app.resize(500, 600)
        XCTAssertEqual(controller.view.safeAreaInsets.top, 5)
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.hasSuffix("safe area") }, ["root safe area", "root controller safe area"])
    }

    func testAPlatformsInsetsAreFiniteAndNotNegative() async throws {
        let paths: [(WritableKeyPath<UISystem.SceneInsets, UIEdgeInsets>, String)] = [
            (\.portrait, "portrait"), (\.landscape, "landscape"), (\.window, "window"),
        ]
        for (path, name) in paths {
            for value: CGFloat in [.nan, .infinity, -1] {
                let insets = UIEdgeInsets(0, value, 0, 0)
                var platform = UISystem.Platform.pad
                platform.sceneInsets[keyPath: path] = insets
                XCTAssertThrowsError(try TestApp(platform: platform)) {
                    XCTAssertEqual($0 as? UISystem.Error, .platform(name: "sceneInsets.\(name)", value: "\(insets)"))
                }
            }
        }
    }

    func testInsetsAndRectangles() {
        XCTAssertEqual(CGRect(10, 20, 100, 50).inset(by: UIEdgeInsets(1, 2, 3, 4)), CGRect(12, 21, 94, 46))
        XCTAssertEqual(
            NSDirectionalEdgeInsets.zero, NSDirectionalEdgeInsets(top: 0, leading: 0, bottom: 0, trailing: 0))
    }
}
