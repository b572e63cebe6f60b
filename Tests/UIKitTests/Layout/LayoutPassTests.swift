import Settle
import TestSupport
import UIKit
import XCTest

/// One layout pass at the end of each turn.
@MainActor final class LayoutPassTests: AppTestCase {
    private func layouts() -> [String] { DelegateCalls.drain().filter { $0.contains(" layout ") } }

    func testASizeIsToldBeforeItChangesAndLaidOutAfterTheGeometryCallback() async throws {
        let (root, left, right) = (
            RecordingController("root"), RecordingController("left"), RecordingController("right")
        )
        root.embed(left)
        root.embed(right)
        app.show(root)
        try app.resize(800, 500)
        DelegateCalls.all = []
        try app.resize(600, 400)
        assertCalls([
            "root transition 800×500 to 600×400", "left transition 400×500 to 300×400",
            "right transition 400×500 to 300×400", "geometry",
            "root will layout", "root layout 600×400", "root did layout",
            "left will layout", "left layout 300×400", "left did layout",
            "right will layout", "right layout 300×400", "right did layout",
            "root settled 600×400",
        ])
        XCTAssertEqual(right.view.frame, CGRect(x: 300, y: 0, width: 300, height: 400))
        try app.system.beginResize(app.scene)
        assertCalls(["geometry"], "nothing has another size")
        try app.resize(600, 400)
        assertCalls([])
    }

    func testConstraintsAreUpdatedBetweenTheControllersCallAndTheLayout() async throws {
        let root = RecordingController("root")
        app.show(root)
        app.system.advance(by: .zero)
        DelegateCalls.all = []
        root.view.setNeedsUpdateConstraints()
        XCTAssertTrue(root.view.needsUpdateConstraints())
        assertCalls([], "not at once")
        app.system.advance(by: .zero)
        XCTAssertFalse(root.view.needsUpdateConstraints())
        assertCalls(["root will layout", "root constraints", "root layout 1024×1366", "root did layout"])
        root.view.setNeedsUpdateConstraints()
        root.view.updateConstraintsIfNeeded()
        root.view.updateConstraintsIfNeeded()
        assertCalls(["root constraints"])
    }

    func testAMarkBeforeTheConstraintsIsServedByTheLayoutThatRuns() async throws {
        final class Marking: RecordingController {
            override func viewWillLayoutSubviews() {
                super.viewWillLayoutSubviews()
                view.setNeedsLayout()
                view.setNeedsUpdateConstraints()
            }
        }
        let app = try TestApp().launched()
        let root = Marking("root")
        app.show(root)
        app.turn()
        DelegateCalls.all = []
        try app.resize(700, 500)
        XCTAssertEqual(
            DelegateCalls.drain().filter { !$0.contains("geometry") && !$0.contains("transition") },
            ["root will layout", "root constraints", "root layout 700×500", "root did layout", "root settled 700×500"])
    }

    func testConstraintsThatAreMarkedInALayoutAreUpdatedInTheNext() async throws {
        let root = RecordingController("root")
        app.show(root)
        app.turn()
        let view = RecordingView("view")
        view.onLayout = { if $0.layouts == 1 { $0.setNeedsUpdateConstraints() } }
        root.view.addSubview(view)
        DelegateCalls.all = []
        app.turn()
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.hasPrefix("view") },
            ["view constraints", "view layout 0×0", "view constraints", "view layout 0×0"])
        XCTAssertFalse(view.needsUpdateConstraints())
    }

    func testEventsFedTogetherAreOnePass() async throws {
        let root = RecordingController("root")
        app.show(root)
        let identity = app.system.identity(of: app.scene)
        app.system.advance(by: .zero)
        DelegateCalls.all = []
        let events = (1...16).map { Event.at(0, identity, Size(width: 400 + Double($0), height: 300), resizing: true) }
        app.system.submit(events.span)
        assertCalls([
            "root transition 1024×1366 to 416×300", "geometry", "root will layout", "root layout 416×300",
            "root did layout",
        ])
    }

    func testOnlyMarkedAndResizedViewsAreLaidOut() async throws {
        let root = RecordingController("root")
        let (plain, inner) = (RecordingView("plain"), RecordingView("inner"))
        root.view.addSubview(plain)
        plain.addSubview(inner)
        root.view.addSubview(RecordingView("other"))
        app.show(root)
        app.system.advance(by: .zero)
        DelegateCalls.all = []
        inner.setNeedsLayout()
        inner.setNeedsLayout()
        XCTAssertEqual(layouts(), [], "nothing lays out when asked to")
        app.system.advance(by: .zero)
        XCTAssertEqual(layouts(), ["inner layout 0×0"])
        app.system.advance(by: .zero)
        XCTAssertEqual(layouts(), [])
        inner.frame = CGRect(x: 5, y: 5, width: 10, height: 20)
        inner.frame.origin.x = 7
        plain.setNeedsLayout()
        app.system.advance(by: .zero)
        XCTAssertEqual(layouts(), ["plain layout 0×0", "inner layout 10×20"])
        inner.frame.origin.x = 9
        app.system.advance(by: .zero)
        XCTAssertEqual(layouts(), [], "a place is no size")
    }

    func testAMarkInTheGeometryCallbackJoinsThePass() async throws {
        let root = RecordingController("root")
        let inner = RecordingView("inner")
        root.view.addSubview(inner)
        app.show(root)
        app.system.advance(by: .zero)
        app.scene.delegate = {
            let delegate = ClosureSceneDelegate()
            delegate.onGeometry = { inner.setNeedsLayout() }
            return delegate
        }()
        DelegateCalls.all = []
        try app.resize(700, 500)
        XCTAssertEqual(layouts(), ["root layout 700×500", "inner layout 0×0"])
    }

    func testLayoutIfNeededLaysOutAtOnceAndLeavesNothing() async throws {
        let (root, child) = (RecordingController("root"), RecordingController("child"))
        root.embed(child)
        app.show(root)
        app.system.advance(by: .zero)
        let delegate = ClosureSceneDelegate()
        var frame = CGRect.zero
        delegate.onGeometry = {
            root.view.layoutIfNeeded()
            frame = child.view.frame
            DelegateCalls.all.append("end")
        }
        app.scene.delegate = delegate
        DelegateCalls.all = []
        try app.resize(700, 500)
        XCTAssertEqual(frame.size, CGSize(width: 700, height: 500))
        let calls = DelegateCalls.drain()
        XCTAssertEqual(calls.suffix(2), ["end", "root settled 700×500"])
        XCTAssertEqual(calls.filter { $0.contains(" layout ") }, ["root layout 700×500", "child layout 700×500"])

        // Marked views upwards are laid out first, as they set the frame.
        delegate.onGeometry = {}
        root.view.setNeedsLayout()
        child.view.setNeedsLayout()
        DelegateCalls.all = []
        child.view.layoutIfNeeded()
        XCTAssertEqual(layouts(), ["root layout 700×500", "child layout 700×500"])
    }

    func testALayoutOutsideOfAWindowIsMadeWhenAskedFor() async throws {
        let view = RecordingView("view", frame: CGRect(x: 0, y: 0, width: 30, height: 20))
        DelegateCalls.all = []
        view.layoutIfNeeded()
        view.layoutIfNeeded()
        XCTAssertEqual(layouts(), ["view layout 30×20"])
    }

    func testAMarkInALayoutOutlivesALayoutOfTheSuperviewWithinIt() async throws {
        let root = RecordingController("root")
        app.show(root)
        app.turn()
        let (outer, inner) = (RecordingView("outer"), RecordingView("inner"))
        outer.addSubview(inner)
        inner.onLayout = {
            guard $0.layouts == 1 else { return }
            $0.setNeedsLayout()
            $0.superview?.layoutIfNeeded()
        }
        root.view.addSubview(outer)
        app.turn()
        XCTAssertEqual(inner.layouts, 2)
        inner.frame.size = CGSize(width: 50, height: 40)
        app.turn()
        XCTAssertEqual(inner.layouts, 3, "another size is laid out")
    }

    func testAViewThatLaysOutItsSuperviewOnTheWayToAChildKeepsTheWayToIt() async throws {
        let (root, child) = (RecordingController("root"), RecordingController("child"))
        let between = RecordingView("between")
        between.onLayout = { $0.superview?.layoutIfNeeded() }
        root.addChild(child)
        root.view.addSubview(between)
        between.addSubview(child.view)
        app.show(root)
        app.turn()
        XCTAssertEqual(child.recordingView.layouts, 1)
        child.view.frame.size = CGSize(width: 50, height: 40)
        app.turn()
        XCTAssertEqual(child.recordingView.layouts, 2)
    }

    func testASceneInTheBackgroundIsLaidOutInTheForeground() async throws {
        let root = RecordingController("root")
        app.show(root)
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        try app.resize(700, 500)
        root.view.setNeedsLayout()
        app.system.advance(by: .zero)
        assertCalls([])
        try app.system.bring(app.scene, to: .foregroundInactive)
        assertCalls([
            "willEnterForeground", "root transition 1024×1366 to 700×500", "geometry", "root will layout",
            "root layout 700×500", "root did layout", "root settled 700×500",
        ])
    }

    func testAHiddenWindowIsLaidOutOnceItIsShown() async throws {
        let root = RecordingController("root")
        let window = app.show(root)
        app.system.advance(by: .zero)
        window.isHidden = true
        DelegateCalls.all = []
        try app.resize(700, 500)
        assertCalls(["root transition 1024×1366 to 700×500", "geometry"])
        XCTAssertEqual(root.view.frame, CGRect(x: 0, y: 0, width: 700, height: 500))
        window.isHidden = false
        assertCalls([
            "root will appear", "root is appearing 700×500", "root will layout", "root layout 700×500",
            "root did layout", "root appeared", "root settled 700×500",
        ])
        app.system.advance(by: .zero)
        assertCalls([])
    }

    /// The pass visits marked views once each, parents first, in the order of subviews.
    func testRandomTrees() async throws {
        let root = RecordingController("root")
        app.show(root)
        for seed: UInt64 in 0..<200 {
            var random = SplitMix64(seed: seed)
            for view in root.view.subviews { view.removeFromSuperview() }
            var views: [RecordingView] = [root.recordingView]
            for number in 1...30 {
                let view = RecordingView("\(number)")
                views[random.below(views.count)].insertSubview(view, at: random.below(4))
                views.append(view)
            }
            app.system.advance(by: .zero)
            DelegateCalls.all = []
            var marked: Set<String> = []
            for _ in 0..<random.below(12) {
                let view = views[random.below(views.count)]
                view.setNeedsLayout()
                marked.insert(view.name)
            }
            app.system.advance(by: .zero)
            func order(_ view: UIView) -> [RecordingView] {
                [view as! RecordingView] + view.subviews.flatMap(order)
            }
            let expected = order(root.view).filter { marked.contains($0.name) }.map {
                "\($0.name) layout \($0.bounds.size.text)"
            }
            XCTAssertEqual(layouts(), expected, "seed \(seed)")
        }
    }

    func testARemovedViewIsNotLaidOut() async throws {
        let root = RecordingController("root")
        app.show(root)
        let (first, second) = (RecordingView("first"), RecordingView("second"))
        root.view.addSubview(first)
        root.view.addSubview(second)
        first.onLayout = { _ in second.removeFromSuperview() }
        app.system.advance(by: .zero)
        XCTAssertEqual(second.layouts, 0)
        root.view.addSubview(second)
        app.system.advance(by: .zero)
        XCTAssertEqual(second.layouts, 1, "its mark has stayed")
    }
}

/// Runs a closure in its callback.
final class ClosureSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var onGeometry: () -> Void = {}

    func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
        onGeometry()
    }
}
