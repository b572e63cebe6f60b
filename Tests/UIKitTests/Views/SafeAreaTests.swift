import XCTest

@testable import UIKit

/// The safe area.
@MainActor final class SafeAreaTests: AppTestCase {
    private func shown(_ insets: UIEdgeInsets) throws -> (TestApp, InsetController) {
        let app = try TestApp().launched()
        let controller = InsetController("root")
        app.show(controller)
        try app.system.setSafeAreaInsets(insets, of: app.scene)
        return (app, controller)
    }

    func testWithoutInsetsOfTheHostThereAreNone() async throws {
        let controller = InsetController("root")
        app.show(controller)
        app.turn()
        XCTAssertEqual(controller.view.safeAreaInsets, .zero)
        XCTAssertEqual(controller.view.safeAreaLayoutGuide.layoutFrame, controller.view.bounds)
        assertCalls([])
    }

    func testTheScenesInsetsReachTheRootViewAndAreToldOnce() async throws {
        let (app, controller) = try shown(UIEdgeInsets(24, 0, 20, 0))
        XCTAssertEqual(controller.view.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        XCTAssertEqual(controller.view.window?.safeAreaInsets, UIEdgeInsets(24, 0, 20, 0))
        assertCalls(["root safe area", "root controller safe area", "root margins", "root controller margins"])
        try app.resize(700, 500)
        try app.system.setSafeAreaInsets(UIEdgeInsets(24, 0, 20, 0), of: app.scene)
        XCTAssertFalse(DelegateCalls.drain().contains { $0.contains("safe area") }, "nothing else changed")
        XCTAssertEqual(
            controller.view.safeAreaLayoutGuide.layoutFrame, CGRect(x: 0, y: 24, width: 700, height: 456))
        try app.system.setSafeAreaInsets(nil, of: app.scene)
        XCTAssertEqual(controller.view.safeAreaInsets, .zero)
    }

    func testAnyOtherViewHasOnlyWhatOfItIsCovered() async throws {
        let (app, controller) = try shown(UIEdgeInsets(50, 30, 20, 10))
        let size = controller.view.bounds.size
        let cases: [(CGRect, UIEdgeInsets)] = [
            (CGRect(origin: .zero, size: size), UIEdgeInsets(50, 30, 20, 10)),
            (CGRect(x: 30, y: 50, width: size.width - 40, height: size.height - 70), .zero),
            (CGRect(x: 100, y: 100, width: 50, height: 50), .zero),
            (CGRect(x: 0, y: 20, width: 200, height: 100), UIEdgeInsets(30, 30, 0, 0)),
            (CGRect(x: 0, y: 0, width: 200, height: 40), UIEdgeInsets(40, 30, 0, 0)),
            (CGRect(x: size.width - 15, y: size.height - 5, width: 15, height: 5), UIEdgeInsets(0, 0, 5, 10)),
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
            let inner = UIView(frame: CGRect(x: -100, y: -100, width: 1000, height: 1000))
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
        outer.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
        inner.frame = CGRect(x: 0, y: 20, width: 100, height: 80)
        app.turn()
        XCTAssertEqual(inner.safeAreaInsets.top, 30)
        func safeAreaCalls() -> [String] { DelegateCalls.drain().filter { $0.hasSuffix("safe area") } }
        _ = safeAreaCalls()
        outer.frame.origin.y = 10
        app.turn()
        XCTAssertEqual(safeAreaCalls(), ["outer safe area", "inner safe area"])
        XCTAssertEqual(inner.safeAreaInsets.top, 20)
        inner.frame.origin.y = 50
        app.turn()
        XCTAssertEqual(safeAreaCalls(), ["inner safe area"])
        XCTAssertEqual(inner.safeAreaInsets.top, 0)
        outer.frame.origin.x = 5
        app.turn()
        XCTAssertEqual(safeAreaCalls(), [], "nothing of it changed")
        try app.system.setSafeAreaInsets(UIEdgeInsets(10, 0, 0, 0), of: app.scene)
        XCTAssertEqual(
            safeAreaCalls(), ["root safe area", "root controller safe area", "outer safe area"])
    }

    func testAViewIsToldWhenOnlyTheSizeOfItsSuperviewChanges() async throws {
        let (app, controller) = try shown(UIEdgeInsets(0, 0, 20, 0))
        let height = controller.view.bounds.height
        let (outer, inner, content) = (InsetView("outer"), InsetView("inner"), UIView())
        controller.view.addSubview(outer)
        outer.addSubview(inner)
        inner.addSubview(content)
        content.translatesAutoresizingMaskIntoConstraints = false
        NSLayoutConstraint.activate([
            content.topAnchor.constraint(equalTo: inner.topAnchor),
            content.bottomAnchor.constraint(equalTo: inner.safeAreaLayoutGuide.bottomAnchor),
        ])
        outer.frame = CGRect(x: 0, y: height - 100, width: 200, height: 100)
        inner.frame = CGRect(x: 0, y: 60, width: 100, height: 40)
        app.turn()
        XCTAssertEqual(outer.safeAreaInsets.bottom, 20)
        XCTAssertEqual(inner.safeAreaInsets.bottom, 20)
        XCTAssertEqual(content.frame.height, 20)
        DelegateCalls.all = []
        // Its bottom stays where it is.
        outer.frame = CGRect(x: 0, y: height - 150, width: 200, height: 150)
        app.turn()
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
        NSLayoutConstraint.activate([
            content.leftAnchor.constraint(equalTo: column.view.safeAreaLayoutGuide.leftAnchor),
            content.rightAnchor.constraint(equalTo: column.view.safeAreaLayoutGuide.rightAnchor),
        ])
        app.turn()
        let frame = column.view.frame
        DelegateCalls.all = []
        column.coveredInsets = UIEdgeInsets(0, 320, 0, 0)
        app.turn()
        XCTAssertEqual(column.view.safeAreaInsets, UIEdgeInsets(0, 320, 0, 0))
        XCTAssertEqual(column.view.frame, frame)
        XCTAssertEqual(container.view.safeAreaInsets, .zero)
        XCTAssertEqual(content.frame.minX, 320)
        XCTAssertEqual(content.frame.maxX, frame.maxX)
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.contains("safe area") }.count, 2, "the view and its controller")
        column.coveredInsets = UIEdgeInsets(0, 0, 0, 320)
        app.turn()
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
        let controller = UIViewController()
        app.show(controller)
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
        let view = Marking("view", frame: CGRect(x: 0, y: 0, width: 100, height: 100))
        controller.view.addSubview(view)
        app.turn()
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
        let controller = Adding("root")
        app.show(controller)
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
                    XCTAssertEqual(
                        $0 as? UISystem.Error, .platform(name: "sceneInsets.\(name)", value: "\(insets)"))
                }
            }
        }
    }

    func testInsetsAndRectangles() {
        XCTAssertEqual(
            CGRect(x: 10, y: 20, width: 100, height: 50).inset(by: UIEdgeInsets(1, 2, 3, 4)),
            CGRect(x: 12, y: 21, width: 94, height: 46))
        XCTAssertEqual(
            NSDirectionalEdgeInsets.zero, NSDirectionalEdgeInsets(top: 0, leading: 0, bottom: 0, trailing: 0))
    }
}
