import Settle
import XCTest

@testable import UIKit

/// When view controllers are notified of sizes, and when to rebuild.
@MainActor final class TransitionTests: AppTestCase {
    func testACoordinatorRunsWorkBeforeAndAfterThePass() async throws {
        let root = app.showing(RecordingController("root"))
        var kept: (any UIViewControllerTransitionCoordinator)?
        XCTAssertNil(root.transitionCoordinator)
        root.onTransition = { _, coordinator in
            kept = coordinator
            XCTAssertIdentical(root.transitionCoordinator, coordinator)
            let isQueued = coordinator.animate { context in
                root.record("alongside \(root.view.bounds.size.text) \(context.isInteractive)")
            } completion: { context in
                root.record("completion \(context.isAnimated) \(context.isCancelled) \(context.transitionDuration)")
            }
            XCTAssertTrue(isQueued)
        }
        try app.system.beginResize(app.scene)
        DelegateCalls.all = []
        try app.resize(700, 500)
        assertCalls([
            "root transition 1024×1366 to 700×500", "geometry", "root alongside 700×500 true", "root will layout",
            "root layout 700×500", "root did layout", "root completion false false 0.0",
        ])
        XCTAssertNil(root.transitionCoordinator)
        let coordinator = try XCTUnwrap(kept)
        XCTAssertFalse(coordinator.animate(alongsideTransition: { _ in XCTFail() }), "it has ended")
        try app.system.endResize(app.scene, at: CGSize(600, 400))
        XCTAssertTrue(DelegateCalls.drain().contains("root alongside 600×400 false"))
    }

    func testAllControllersHaveTheirNewBoundsAlongside() async throws {
        final class Filling: UIViewController {
            override func viewDidLayoutSubviews() {
                super.viewDidLayoutSubviews()
                for child in children { child.view.frame = view.bounds.insetBy(dx: 10, dy: 10) }
            }
        }
        func inNavigation(_ controller: UIViewController) -> UIViewController {
            UINavigationController(rootViewController: controller)
        }
        func inTabs(_ controller: UIViewController) -> UIViewController {
            let tabs = UITabBarController()
            tabs.viewControllers = [controller]
            return tabs
        }
        func inSplit(_ controller: UIViewController) -> UIViewController {
            let split = UISplitViewController(style: .doubleColumn)
            split.setViewController(UIViewController(), for: .primary)
            split.setViewController(controller, for: .secondary)
            return split
        }
        func inParent(_ controller: UIViewController) -> UIViewController {
            let parent = Filling()
            parent.embed(controller)
            return parent
        }
        let containers = [inNavigation, inTabs, inSplit, inParent, { inTabs(inSplit($0)) }, { inSplit(inParent($0)) }]
        for (number, container) in containers.enumerated() {
            let app = try TestApp().launched()
            let leaf = RecordingController("leaf")
            app.show(container(leaf))
            for size in [CGSize(900, 700), CGSize(500, 600)] {
                var alongside: CGSize?
                leaf.onTransition = { _, coordinator in
                    coordinator.animate { _ in alongside = leaf.view.bounds.size }
                }
                leaf.recordingView.onLayout = { _ in XCTAssertNotNil(alongside, "its content comes after that") }
                try app.resize(size.width, size.height)
                XCTAssertEqual(alongside, leaf.view.bounds.size, "container \(number)")
            }
        }
    }

    func testACoordinatorKnowsItsSceneAndTheRotation() async throws {
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        var seen: [String: (view: UIView, transform: CGAffineTransform)] = [:]
        var (windows, flags): ([String: UIWindow], [String: Bool]) = ([:], [:])
        for (scene, name) in [(app.scene, "first"), (other, "second")] {
            let root = RecordingController(name)
            windows[name] = UIWindow.show(root, in: scene)
            root.onTransition = { _, coordinator in
                seen["\(name) now"] = (coordinator.containerView, coordinator.targetTransform)
                coordinator.animate {
                    seen["\(name) alongside"] = ($0.containerView, $0.targetTransform)
                    flags[name] = $0.isInteractive
                } completion: {
                    seen["\(name) completion"] = ($0.containerView, $0.targetTransform)
                }
            }
        }
        let right = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
        let left = CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: 0)
        for (orientation, expected) in [(UIInterfaceOrientation.landscapeRight, right), (.portrait, left)] {
            app.system.rotate(to: orientation)
            for name in ["first", "second"] {
                for moment in ["now", "alongside", "completion"] {
                    let found = try XCTUnwrap(seen["\(name) \(moment)"])
                    XCTAssertIdentical(found.view, windows[name], "\(name) \(moment)")
                    XCTAssertEqual(found.transform, expected, "\(name) \(moment)")
                }
            }
        }
        let events: [Event] = [
            .at(0, app.system.identity(of: app.scene), Size(500, 400), resizing: true),
            .at(0, app.system.identity(of: other), Size(600, 400)),
        ]
        app.system.submit(events.span)
        XCTAssertEqual(flags, ["first": true, "second": false], "one is dragged in that turn")
        XCTAssertEqual(seen["first alongside"]?.transform.isIdentity, true, "another size alone")
    }

    func testAViewControllerIsNotifiedOfASizeOnceAndOnlyIfItWasShown() async throws {
        let (root, child, other) = (
            RecordingController("root"), RecordingController("child"), RecordingController("other")
        )
        root.embed(child)
        root.embed(other)
        let window = app.show(root, isHidden: true)
        try app.resize(700, 500)
        assertCalls("geometry", "never shown")
        window.isHidden = false
        // Its view is not in the hierarchy, so its container's transition is not its own.
        other.view.removeFromSuperview()
        root.onTransition = { size, coordinator in
            // Containers may announce a size of their own accord as well.
            child.transition(to: CGSize(size.width / 2, size.height))
        }
        DelegateCalls.all = []
        try app.resize(600, 400)
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.contains("transition") },
            ["root transition 700×500 to 600×400", "child transition 350×500 to 300×400"])
        child.transition(to: CGSize(300, 400))
        assertCalls("", "it has that size")
        other.transition(to: CGSize(200, 400))
        assertCalls("other transition 300×400 to 200×400", "its container shows it again")
        other.transition(to: CGSize(200, 400))
        assertCalls("")
        // A size that the app sets makes the announced one a change again.
        other.view.frame.size = CGSize(100, 100)
        other.transition(to: CGSize(200, 400))
        assertCalls("other transition 100×100 to 200×400")
    }

    func testAPlainContainersChildIsNotifiedOfItsContainersSize() async throws {
        final class Parent: UIViewController {
            var received: [CGFloat] = []
            override func preferredContentSizeDidChange(forChildContentContainer container: any UIContentContainer) {
                received.append(container.preferredContentSize.width)
            }
        }
        let (root, child) = (Parent(), RecordingController("child"))
        root.embed(child)
        app.show(root)
        let transitions = try calls("transition") { try app.resize(600, 400) }
        assertText(transitions, "child transition 0×0 to 600×400")
        XCTAssertEqual(root.size(forChildContentContainer: child, withParentContainerSize: CGSize(3, 4)), CGSize(3, 4))
        for width: CGFloat in [1, 2, 2, 3] { child.preferredContentSize = CGSize(width, 1) }
        XCTAssertEqual(root.received, [1, 2, 3], "a parent is notified of another preferred size")
    }

    // MARK: viewSizeDidSettle

    func testTheSettledSizeIsLaidOutAlready() async throws {
        final class Root: UIViewController {
            var sizes: [CGSize] = []
            override func viewSizeDidSettle(_ size: CGSize) {
                XCTAssertEqual(view.bounds.size, size)
                XCTAssertEqual(view.window?.windowScene?.effectiveGeometry.coordinateSpace.bounds.size, size)
                sizes.append(size)
            }
        }
        let app = try TestApp()
        let root = Root()
        RecordingSceneDelegate.onConnect = { scene, _ in
            UIWindow.show(root, in: scene)
        }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(root.sizes, [CGSize(1024, 1366)], "the first size")
        app.system.rotate(to: .landscapeLeft)
        XCTAssertEqual(root.sizes.last, CGSize(1366, 1024))
        try app.system.bring(app.scene, to: .background)
        try app.resize(700, 500)
        try app.resize(800, 500)
        XCTAssertEqual(root.sizes.count, 2)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(root.sizes.count, 3)
        XCTAssertEqual(root.sizes.last, CGSize(800, 500))
    }

    // MARK: Appearance

    func testAViewThatIsAddedIsAppearingWithItsFinalSize() async throws {
        let (root, late) = (RecordingController("root"), RecordingController("late"))
        root.embed(RecordingController("child"))
        app.show(root)
        late.view.frame = CGRect(0, 0, 50, 60)
        let appearances = calls("late") { app.turn { root.embed(late) } }.filter { $0.contains("appear") }
        assertText(
            appearances, "late will appear, late is appearing 512×1366, late appeared", "the container has laid it out")
    }
}
