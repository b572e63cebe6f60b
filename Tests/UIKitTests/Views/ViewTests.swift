import UIKit
import XCTest

/// The geometry and the hierarchy of views.
@MainActor final class ViewTests: AppTestCase {
    private func view(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> UIView {
        UIView(frame: CGRect(x: x, y: y, width: width, height: height))
    }

    func testDefaults() async throws {
        let view = UIView()
        XCTAssertEqual(view.frame, .zero)
        XCTAssertEqual(view.alpha, 1)
        XCTAssertFalse(view.isHidden)
        XCTAssertTrue(view.isUserInteractionEnabled)
        XCTAssertFalse(view.clipsToBounds)
        XCTAssertNil(view.backgroundColor)
        XCTAssertEqual(view.autoresizingMask, [])
        XCTAssertTrue(view.translatesAutoresizingMaskIntoConstraints)
        XCTAssertEqual(view.semanticContentAttribute, .unspecified)
        XCTAssertEqual(view.effectiveUserInterfaceLayoutDirection, .leftToRight)
        view.semanticContentAttribute = .forceRightToLeft
        XCTAssertEqual(view.effectiveUserInterfaceLayoutDirection, .rightToLeft)
        XCTAssertEqual(UIView.userInterfaceLayoutDirection(for: .playback), .leftToRight)
    }

    func testFrameBoundsAndCenterAgree() async throws {
        let view = view(10, 20, 100, 50)
        XCTAssertEqual(view.center, CGPoint(x: 60, y: 45))
        view.center = CGPoint(x: 0, y: 0)
        XCTAssertEqual(view.frame, CGRect(x: -50, y: -25, width: 100, height: 50))
        view.bounds = CGRect(x: 5, y: 6, width: 40, height: 10)
        XCTAssertEqual(view.frame, CGRect(x: -20, y: -5, width: 40, height: 10), "the center stays")
        XCTAssertEqual(view.bounds, CGRect(x: 5, y: 6, width: 40, height: 10))
        view.frame = CGRect(x: 1, y: 2, width: 3, height: 4)
        XCTAssertEqual(view.bounds, CGRect(x: 5, y: 6, width: 3, height: 4))
        XCTAssertEqual(view.center, CGPoint(x: 2.5, y: 4))
    }

    func testAFrameThatIsNotFiniteIsIgnoredAndLoggedOnce() async throws {
        let view = view(1, 2, 3, 4)
        let frame = view.frame
        for bad in [CGFloat.nan, .infinity, -.infinity] {
            view.frame.size.width = bad
            view.frame.origin.y = bad
            view.bounds.size.height = bad
            view.bounds.origin.x = bad
            view.center.x = bad
            XCTAssertEqual(view.frame, frame)
            XCTAssertEqual(view.bounds, CGRect(x: 0, y: 0, width: 3, height: 4))
        }
        let logged = app.system.messages.count
        XCTAssertGreaterThan(logged, 0)
        view.frame.size.width = .nan
        XCTAssertEqual(app.system.messages.count, logged)
        XCTAssertEqual(UIView(frame: CGRect(x: 0, y: 0, width: CGFloat.nan, height: 1)).frame, .zero)
        view.frame.size.width = .greatestFiniteMagnitude
        view.layoutIfNeeded()
        XCTAssertEqual(view.frame.width, .greatestFiniteMagnitude)
    }

    func testMasksShareAChangeInProportion() async throws {
        let cases: [(UIView.AutoresizingMask, CGRect)] = [
            ([], CGRect(x: 10, y: 20, width: 60, height: 40)),
            ([.flexibleWidth], CGRect(x: 10, y: 20, width: 160, height: 40)),
            ([.flexibleLeftMargin], CGRect(x: 110, y: 20, width: 60, height: 40)),
            ([.flexibleRightMargin, .flexibleBottomMargin], CGRect(x: 10, y: 20, width: 60, height: 40)),
            // A quarter of the change is left of the view.
            (
                [.flexibleLeftMargin, .flexibleRightMargin, .flexibleHeight],
                CGRect(x: 35, y: 20, width: 60, height: 90)
            ),
            (
                [.flexibleWidth, .flexibleHeight, .flexibleTopMargin],
                CGRect(x: 10, y: 20 + 50 / 3.0, width: 160, height: 40 + 100 / 3.0)
            ),
        ]
        for (mask, expected) in cases {
            let (container, inner) = (view(0, 0, 100, 100), view(10, 20, 60, 40))
            container.addSubview(inner)
            inner.autoresizingMask = mask
            container.frame.size = CGSize(width: 200, height: 150)
            for (found, wanted) in [
                (inner.frame.origin.x, expected.origin.x), (inner.frame.origin.y, expected.origin.y),
                (inner.frame.width, expected.width), (inner.frame.height, expected.height),
            ] {
                XCTAssertEqual(found, wanted, accuracy: 1e-9, "\(mask)")
            }
        }
        // From nothing: the parts share equally.
        let (container, inner) = (view(0, 0, 0, 0), view(0, 0, 0, 0))
        container.addSubview(inner)
        inner.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        container.frame.size = CGSize(width: 30, height: 20)
        XCTAssertEqual(inner.frame, container.bounds)
        inner.translatesAutoresizingMaskIntoConstraints = false
        container.frame.size = CGSize(width: 40, height: 20)
        XCTAssertEqual(inner.frame.width, 30, "constraints set it")
    }

    func testSubviewsAreOrdered() async throws {
        let (container, a, b, c, d) = (UIView(), UIView(), UIView(), UIView(), UIView())
        let names: [ObjectIdentifier: String] = [
            ObjectIdentifier(a): "a", ObjectIdentifier(b): "b", ObjectIdentifier(c): "c", ObjectIdentifier(d): "d",
        ]
        func order() -> String { container.subviews.map { names[ObjectIdentifier($0)] ?? "?" }.joined() }
        container.addSubview(a)
        container.insertSubview(b, at: 0)
        XCTAssertEqual(order(), "ba")
        container.insertSubview(c, aboveSubview: b)
        XCTAssertEqual(order(), "bca")
        container.insertSubview(d, belowSubview: a)
        XCTAssertEqual(order(), "bcda")
        container.insertSubview(b, aboveSubview: a)
        XCTAssertEqual(order(), "cdab")
        container.insertSubview(b, belowSubview: c)
        XCTAssertEqual(order(), "bcda")
        container.bringSubviewToFront(c)
        XCTAssertEqual(order(), "bdac")
        container.sendSubviewToBack(a)
        XCTAssertEqual(order(), "abdc")
        container.addSubview(a)
        XCTAssertEqual(order(), "bdca")
        container.insertSubview(a, at: 1)
        XCTAssertEqual(order(), "badc")
        container.bringSubviewToFront(UIView())
        XCTAssertEqual(order(), "badc")
        let other = UIView()
        other.addSubview(a)
        XCTAssertEqual(order(), "bdc")
        XCTAssertIdentical(a.superview, other)
        container.addSubview(other)
        XCTAssertTrue(a.isDescendant(of: container))
        XCTAssertTrue(a.isDescendant(of: a))
        XCTAssertFalse(container.isDescendant(of: a))
        a.removeFromSuperview()
        XCTAssertFalse(a.isDescendant(of: container))
        XCTAssertNil(a.superview)
    }

    func testASuperviewThatIsDeallocatedLeavesItsSubviews() async throws {
        let inner = UIView()
        var container: UIView? = UIView()
        container?.addSubview(inner)
        container = nil
        XCTAssertNil(inner.superview)
        inner.setNeedsLayout()
        let controllersView = UIView()
        var controller: UIViewController? = UIViewController()
        controller?.view = controllersView
        XCTAssertIdentical(controllersView.next, controller)
        controller = nil
        XCTAssertNil(controllersView.next)
        controllersView.layoutIfNeeded()
    }

    func testHooksComeInOrder() async throws {
        final class Hooked: UIView {
            override func willMove(toSuperview newSuperview: UIView?) { log("will superview \(newSuperview != nil)") }
            override func didMoveToSuperview() { log("superview \(superview != nil)") }
            override func willMove(toWindow newWindow: UIWindow?) { log("will window \(newWindow != nil)") }
            override func didMoveToWindow() { log("window \(window != nil)") }
            override func didAddSubview(_ subview: UIView) { log("added") }
            override func willRemoveSubview(_ subview: UIView) { log("removes \(subviews.count)") }
            private func log(_ text: String) { DelegateCalls.all.append("\(tag) \(text)") }
        }
        let app = try TestApp().launched()
        let (outer, inner) = (Hooked(), Hooked())
        (outer.tag, inner.tag) = (1, 2)
        outer.addSubview(inner)
        assertCalls(["2 will superview true", "2 superview true", "1 added"])
        let root = UIViewController()
        let window = app.show(root)
        root.view.addSubview(outer)
        assertCalls([
            "1 will superview true", "1 will window true", "2 will window true", "1 window true", "2 window true",
            "1 superview true",
        ])
        XCTAssertIdentical(inner.window, window)
        inner.removeFromSuperview()
        assertCalls(
            ["1 removes 1", "2 will superview false", "2 will window false", "2 window false", "2 superview false"])
    }

    func testCoordinatesAreConvertedThroughBoundsOrigins() async throws {
        let root = UIViewController()
        let window = app.show(root)
        let (scrolled, inner, other) = (view(100, 50, 200, 200), view(10, 20, 30, 40), view(7, 8, 9, 10))
        root.view.addSubview(scrolled)
        root.view.addSubview(other)
        scrolled.addSubview(inner)
        scrolled.bounds.origin = CGPoint(x: 5, y: 60)
        let target: UIView? = root.view
        XCTAssertEqual(inner.convert(CGPoint(x: 1, y: 2), to: target), CGPoint(x: 106, y: 12))
        XCTAssertEqual(inner.convert(CGPoint(x: 106, y: 12), from: target), CGPoint(x: 1, y: 2))
        let nowhere: UIView? = nil
        XCTAssertEqual(inner.convert(inner.bounds, to: nowhere), CGRect(x: 105, y: 10, width: 30, height: 40))
        XCTAssertEqual(inner.convert(window.bounds, from: nowhere).origin, CGPoint(x: -105, y: -10))
        XCTAssertEqual(inner.convert(inner.bounds, to: other), CGRect(x: 98, y: 2, width: 30, height: 40))
        // The same through coordinate spaces.
        let space: any UICoordinateSpace = other
        XCTAssertEqual(inner.convert(inner.bounds, to: space), CGRect(x: 98, y: 2, width: 30, height: 40))
        try app.system.place(app.scene, in: CGRect(x: 11, y: 12, width: 500, height: 400))
        XCTAssertEqual(
            inner.convert(CGPoint.zero, to: app.scene.screen.coordinateSpace), CGPoint(x: 11 + 105, y: 12 + 10))
        // Views that share no window meet in their topmost view's coordinates.
        let loose = view(1, 1, 2, 2)
        XCTAssertEqual(loose.convert(CGPoint.zero, to: nowhere), CGPoint(x: 0, y: 0))
    }

    func testColoursAreValues() async throws {
        XCTAssertEqual(UIColor.red, UIColor(red: 1, green: 0, blue: 0, alpha: 1))
        XCTAssertNotEqual(UIColor.red, UIColor.red.withAlphaComponent(0.5))
        XCTAssertEqual(UIColor(white: 7, alpha: -1), UIColor(white: 1, alpha: 0))
        XCTAssertEqual(UIColor.clear.hash, UIColor(white: 0, alpha: 0).hash)
    }

    func testAHookThatMovesTheViewElsewhereLeavesItInOneSuperview() async throws {
        final class Restless: UIView {
            var other: UIView?
            override func willMove(toSuperview newSuperview: UIView?) {
                guard let other else { return }
                self.other = nil
                other.addSubview(self)
            }
        }
        let (first, moved) = (UIView(), Restless())
        var second: UIView? = UIView()
        moved.other = second
        first.addSubview(moved)
        XCTAssertIdentical(moved.superview, first)
        XCTAssertEqual(first.subviews, [moved])
        XCTAssertEqual(second?.subviews, [])
        second = nil
        XCTAssertIdentical(moved.superview, first)
    }

    func testWhatAppsOverrideIsOpen() async throws {
        final class Overriding: UIView {
            var calls: Set<String> = []
            override var safeAreaInsets: UIEdgeInsets { UIEdgeInsets(top: 7, left: 0, bottom: 0, right: 0) }
            override var layoutMargins: UIEdgeInsets {
                get { super.layoutMargins }
                set {
                    calls.insert("margins")
                    super.layoutMargins = newValue
                }
            }
            override var directionalLayoutMargins: NSDirectionalEdgeInsets {
                get { super.directionalLayoutMargins }
                set {
                    calls.insert("directional margins")
                    super.directionalLayoutMargins = newValue
                }
            }
            override func layoutGuide(for layoutRegion: LayoutRegion) -> UILayoutGuide {
                calls.insert("guide")
                return super.layoutGuide(for: layoutRegion)
            }
            override func insertSubview(_ view: UIView, aboveSubview siblingSubview: UIView) {
                calls.insert("insert")
                super.insertSubview(view, aboveSubview: siblingSubview)
            }
            override func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
                calls.insert("convert")
                return super.convert(point, to: view)
            }
            override func isDescendant(of view: UIView) -> Bool {
                calls.insert("descendant")
                return super.isDescendant(of: view)
            }
            override func addConstraint(_ constraint: NSLayoutConstraint) {
                calls.insert("constraint")
                super.addConstraint(constraint)
            }
        }
        let view = Overriding(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
        XCTAssertEqual(view.edgeInsets(for: .safeArea()).top, 7)
        view.layoutMargins = UIEdgeInsets(top: 1, left: 1, bottom: 1, right: 1)
        XCTAssertEqual(view.safeAreaLayoutGuide.layoutFrame, CGRect(x: 0, y: 7, width: 100, height: 93))
        let (back, front) = (UIView(), UIView())
        view.addSubview(back)
        view.insertSubview(front, aboveSubview: back)
        XCTAssertEqual(view.convert(CGRect(x: 1, y: 2, width: 3, height: 4), to: back).origin, CGPoint(x: 1, y: 2))
        XCTAssertFalse(view.isDescendant(of: back))
        view.addConstraint(view.widthAnchor.constraint(equalToConstant: 100))
        XCTAssertEqual(
            view.calls,
            [
                "margins", "directional margins", "guide", "insert", "convert", "descendant", "constraint",
            ])
    }
}
