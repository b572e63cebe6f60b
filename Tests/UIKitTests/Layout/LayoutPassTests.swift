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
        XCTAssertEqual(right.view.frame, CGRect(300, 0, 300, 400))
        try app.system.beginResize(app.scene)
        assertCalls("geometry", "nothing has another size")
        try app.resize(600, 400)
        assertCalls("")
    }

    func testConstraintsAreUpdatedBetweenTheControllersCallAndTheLayout() async throws {
        let root = app.showing(RecordingController("root"))
        app.turn()
        assertCalls("", "not at once") { root.view.setNeedsUpdateConstraints() }
        XCTAssertTrue(root.view.needsUpdateConstraints())
        app.turn()
        XCTAssertFalse(root.view.needsUpdateConstraints())
        assertCalls("root will layout, root constraints, root layout 1024×1366, root did layout")
        root.view.setNeedsUpdateConstraints()
        for _ in 0..<2 { root.view.updateConstraintsIfNeeded() }
        assertCalls("root constraints")

        // What is marked before the constraints is served by the layout that runs.
        final class Marking: RecordingController {
            override func viewWillLayoutSubviews() {
                super.viewWillLayoutSubviews()
                view.setNeedsLayout()
                view.setNeedsUpdateConstraints()
            }
        }
        app.turn { app.show(Marking("marking")) }
        assertText(
            try calls("marking") { try app.resize(700, 500) }.filter { !$0.contains("transition") },
            "marking will layout, marking constraints, marking layout 700×500, marking did layout, "
                + "marking settled 700×500")

        // And what is marked in a layout by the next.
        let other = app.showing(RecordingController("other"))
        let view = RecordingView("view")
        view.onLayout = { if $0.layouts == 1 { $0.setNeedsUpdateConstraints() } }
        other.view.addSubview(view)
        assertText(calls("view") { app.turn() }, "view constraints, view layout 0×0, view constraints, view layout 0×0")
        XCTAssertFalse(view.needsUpdateConstraints())
    }

    func testEventsFedTogetherAreOnePass() async throws {
        let root = app.showing(RecordingController("root"))
        let identity = app.system.identity(of: app.scene)
        app.turn()
        DelegateCalls.all = []
        let events = (1...16).map { Event.at(0, identity, Size(400 + Double($0), 300), resizing: true) }
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
        app.turn { app.show(root) }
        func check(_ expected: String, _ why: String = "", line: UInt = #line, in change: () -> Void) {
            DelegateCalls.all = []
            change()
            XCTAssertEqual(layouts(), [], "nothing lays out when asked to", line: line)
            app.turn()
            assertText(layouts(), expected, why, line: line)
        }
        check("inner layout 0×0") { for _ in 0..<2 { inner.setNeedsLayout() } }
        check("") {}
        check("plain layout 0×0, inner layout 10×20") {
            inner.frame = CGRect(5, 5, 10, 20)
            inner.frame.origin.x = 7
            plain.setNeedsLayout()
        }
        check("", "a place is no size") { inner.frame.origin.x = 9 }
        let delegate = ClosureSceneDelegate()
        delegate.onGeometry = { inner.setNeedsLayout() }
        app.scene.delegate = delegate
        try app.resize(700, 500)
        assertText(layouts(), "root layout 700×500, inner layout 10×20", "a mark in that callback joins the pass")
    }

    func testLayoutIfNeededLaysOutAtOnceAndLeavesNothing() async throws {
        let (root, child) = (RecordingController("root"), RecordingController("child"))
        root.embed(child)
        app.turn { app.show(root) }
        let delegate = ClosureSceneDelegate()
        var frame = CGRect.zero
        delegate.onGeometry = {
            root.view.layoutIfNeeded()
            frame = child.view.frame
            DelegateCalls.all.append("end")
        }
        app.scene.delegate = delegate
        let received = try calls { try app.resize(700, 500) }
        XCTAssertEqual(frame.size, CGSize(700, 500))
        assertText(received.suffix(2), "end, root settled 700×500")
        assertText(received.filter { $0.contains(" layout ") }, "root layout 700×500, child layout 700×500")

        // Marked views upwards are laid out first, as they set the frame.
        delegate.onGeometry = {}
        for view in [root.view!, child.view!] { view.setNeedsLayout() }
        assertText(calls(" layout ") { child.view.layoutIfNeeded() }, "root layout 700×500, child layout 700×500")
        let lone = RecordingView("lone", frame: CGRect(0, 0, 30, 20))
        assertText(
            calls(" layout ") { for _ in 0..<2 { lone.layoutIfNeeded() } }, "lone layout 30×20", "outside of a window")
    }

    func testAMarkInALayoutOutlivesALayoutOfTheSuperviewWithinIt() async throws {
        let root = app.showing(RecordingController("root"))
        app.turn()
        let (outer, inner) = (RecordingView("outer"), RecordingView("inner"))
        outer.addSubview(inner)
        inner.onLayout = {
            guard $0.layouts == 1 else { return }
            $0.setNeedsLayout()
            $0.superview?.layoutIfNeeded()
        }
        app.turn { root.view.addSubview(outer) }
        XCTAssertEqual(inner.layouts, 2)
        app.turn { inner.frame.size = CGSize(50, 40) }
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
        app.turn { child.view.frame.size = CGSize(50, 40) }
        XCTAssertEqual(child.recordingView.layouts, 2)
    }

    /// The pass visits marked views once each, parents first, in the order of subviews.
    func testRandomTrees() async throws {
        let root = app.showing(RecordingController("root"))
        for seed: UInt64 in 0..<200 {
            var random = SplitMix64(seed: seed)
            for view in root.view.subviews { view.removeFromSuperview() }
            var views: [RecordingView] = [root.recordingView]
            for number in 1...30 {
                let view = RecordingView("\(number)")
                views[random.below(views.count)].insertSubview(view, at: random.below(4))
                views.append(view)
            }
            app.turn()
            DelegateCalls.all = []
            var marked: Set<String> = []
            for _ in 0..<random.below(12) {
                let view = views[random.below(views.count)]
                view.setNeedsLayout()
                marked.insert(view.name)
            }
            app.turn()
            func order(_ view: UIView) -> [RecordingView] { [view as! RecordingView] + view.subviews.flatMap(order) }
            let expected = order(root.view).filter { marked.contains($0.name) }.map {
                "\($0.name) layout \($0.bounds.size.text)"
            }
            XCTAssertEqual(layouts(), expected, "seed \(seed)")
        }
    }

    func testARemovedViewIsNotLaidOut() async throws {
        let root = app.showing(RecordingController("root"))
        let (first, second) = (RecordingView("first"), RecordingView("second"))
        root.view.addSubview(first)
        root.view.addSubview(second)
        first.onLayout = { _ in second.removeFromSuperview() }
        app.turn()
        XCTAssertEqual(second.layouts, 0)
        app.turn { root.view.addSubview(second) }
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
