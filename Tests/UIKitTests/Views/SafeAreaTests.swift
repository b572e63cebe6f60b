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

    func testTheScenesInsetsReachTheRootViewAndAreToldOnce() async throws {
        let plain = app.showing(InsetController("plain"))
        app.turn()
        XCTAssertEqual(plain.view.safeAreaInsets, .zero, "without insets of the host there are none")
        XCTAssertEqual(plain.view.safeAreaLayoutGuide.layoutFrame, plain.view.bounds)
        assertCalls("")
        let (app, controller) = try shown(UIEdgeInsets(24, 0, 20, 0))
        XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        XCTAssertEqual(controller.view.window?.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        assertCalls("root safe area, root controller safe area, root margins, root controller margins")
        try app.resize(700, 500)
        try app.system.setSafeAreaInsets(UIEdgeInsets(24, 0, 20, 0), of: app.scene)
        XCTAssertFalse(DelegateCalls.drain().contains { $0.contains("safe area") }, "nothing else changed")
        XCTAssertEqual(controller.view.safeAreaLayoutGuide.layoutFrame, CGRect(0, 24, 700, 456))
        try app.system.setSafeAreaInsets(nil, of: app.scene)
        XCTAssertEqual(controller.view.safeAreaInsets, .zero)
    }

    func testAnyOtherViewHasOnlyWhatOfItIsCovered() async throws {
        let (app, controller) = try shown(UIEdgeInsets(50, 30, 20, 10))
        let size = controller.view.bounds.size
        let cases: [(CGRect, UIEdgeInsets)] = [
            (CGRect(origin: .zero, size: size), UIEdgeInsets(50, 30, 20, 10)),
            (CGRect(30, 50, size.width - 40, size.height - 70), .zero),
            (CGRect(100, 100, 50, 50), .zero),
            (CGRect(0, 20, 200, 100), UIEdgeInsets(30, 30, 0, 0)),
            (CGRect(0, 0, 200, 40), UIEdgeInsets(40, 30, 0, 0)),
            (CGRect(size.width - 15, size.height - 5, 15, 5), UIEdgeInsets(0, 0, 5, 10)),
            (.zero, .zero),
        ]
        for (frame, insets) in cases {
            let view = UIView(frame: frame)
            XCTAssertEqual(view.safeAreaInsets, .zero, "not in a window")
            controller.view.addSubview(view)
            XCTAssertEqual(view.safeAreaInsets, insets, "\(frame)")
            app.turn()
            XCTAssertEqual(view.safeAreaInsets, insets, "\(frame)")
            // A view that is wholly inside shields what is in it.
            let inner = UIView(frame: CGRect(-100, -100, 1000, 1000))
            view.addSubview(inner)
            if insets == .zero { XCTAssertEqual(inner.safeAreaInsets, .zero) }
            view.removeFromSuperview()
            XCTAssertEqual(view.safeAreaInsets, .zero, "not in a window")
        }
    }

    func testAViewIsToldOnceWhenItOrTheSafeAreaMoves() async throws {
        let (app, controller) = try shown(UIEdgeInsets(50, 0, 0, 0))
        let (outer, inner) = (InsetView("outer"), InsetView("inner"))
        controller.view.addSubview(outer)
        outer.addSubview(inner)
        outer.frame = CGRect(0, 0, 100, 100)
        app.turn { inner.frame = CGRect(0, 20, 100, 80) }
        XCTAssertEqual(inner.safeAreaInsets.top, 30)
        func safeAreaCalls() -> [String] { DelegateCalls.drain().filter { $0.hasSuffix("safe area") } }
        _ = safeAreaCalls()
        app.turn { outer.frame.origin.y = 10 }
        XCTAssertEqual(safeAreaCalls(), ["outer safe area", "inner safe area"])
        XCTAssertEqual(inner.safeAreaInsets.top, 20)
        app.turn { inner.frame.origin.y = 50 }
        XCTAssertEqual(safeAreaCalls(), ["inner safe area"])
        XCTAssertEqual(inner.safeAreaInsets.top, 0)
        app.turn { outer.frame.origin.x = 5 }
        XCTAssertEqual(safeAreaCalls(), [], "nothing of it changed")
        try app.system.setSafeAreaInsets(UIEdgeInsets(10, 0, 0, 0), of: app.scene)
        assertText(safeAreaCalls(), "root safe area, root controller safe area, outer safe area")
    }

    func testAViewIsToldWhenOnlyTheSizeOfItsSuperviewChanges() async throws {
        let (app, controller) = try shown(UIEdgeInsets(0, 0, 20, 0))
        let height = controller.view.bounds.height
        let (outer, inner, content) = (InsetView("outer"), InsetView("inner"), UIView())
        controller.view.addSubview(outer)
        outer.addSubview(inner)
        inner.addSubview(content)
        content.translatesAutoresizingMaskIntoConstraints = false
        content.sides(of: inner, top: 0).activate()
        content.sides(of: inner.safeAreaLayoutGuide, bottom: 0).activate()
        outer.frame = CGRect(0, height - 100, 200, 100)
        app.turn { inner.frame = CGRect(0, 60, 100, 40) }
        XCTAssertEqual(outer.safeAreaInsets.bottom, 20)
        XCTAssertEqual(inner.safeAreaInsets.bottom, 20)
        XCTAssertEqual(content.frame.height, 20)
        DelegateCalls.all = []
        // Its bottom stays where it is.
        app.turn { outer.frame = CGRect(0, height - 150, 200, 150) }
        XCTAssertEqual(inner.safeAreaInsets, .zero)
        XCTAssertEqual(DelegateCalls.drain().filter { $0.hasSuffix("safe area") }, ["inner safe area"])
        XCTAssertEqual(content.frame.height, 40)
    }

    func testASidebarInsetsTheColumnBesideItAndItsFrameStays() async throws {
        let (container, column) = (InsetController("container"), InsetController("column"))
        container.addChild(column)
        container.view.addSubview(column.view)
        app.show(container)
        column.view.frame = container.view.bounds
        let content = UIView()
        content.translatesAutoresizingMaskIntoConstraints = false
        column.view.addSubview(content)
        app.turn { content.sides(of: column.view.safeAreaLayoutGuide, left: 0, right: 0).activate() }
        let frame = column.view.frame
        DelegateCalls.all = []
        app.turn { column.coveredInsets = UIEdgeInsets(0, 320, 0, 0) }
        XCTAssertEqual(column.view.safeAreaInsets, UIEdgeInsets(0, 320, 0, 0))
        XCTAssertEqual(column.view.frame, frame)
        XCTAssertEqual(container.view.safeAreaInsets, .zero)
        XCTAssertEqual(content.frame.minX, 320)
        XCTAssertEqual(content.frame.maxX, frame.maxX)
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.contains("safe area") }.count, 2, "the view and its controller")
        app.turn { column.coveredInsets = UIEdgeInsets(0, 0, 0, 320) }
        XCTAssertEqual(content.frame.minX, 0)
        XCTAssertEqual(content.frame.width, frame.width - 320)
    }

    func testWhatTheContainerCoversAddsToTheWindowsAndTheControllersOwn() async throws {
        let (app, controller) = try shown(UIEdgeInsets(24, 0, 20, 0))
        let child = InsetController("child")
        controller.addChild(child)
        controller.view.addSubview(child.view)
        child.view.frame = controller.view.bounds
        child.coveredInsets = UIEdgeInsets(50, 0, 0, 0)
        child.additionalSafeAreaInsets = UIEdgeInsets(1, 2, 3, 4)
        XCTAssertEqual(child.view.safeAreaInsets, UIEdgeInsets(75, 2, 23, 4))
        app.turn()
        XCTAssertEqual(child.view.safeAreaInsets, UIEdgeInsets(75, 2, 23, 4))
        child.additionalSafeAreaInsets = UIEdgeInsets(.nan, 0, 0, 0)
        XCTAssertEqual(child.additionalSafeAreaInsets, .zero)
        child.additionalSafeAreaInsets = UIEdgeInsets(-1000, 0, 0, 0)
        XCTAssertEqual(child.view.safeAreaInsets, UIEdgeInsets(0, 0, 20, 0), "never negative")
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
