import UIKit
import XCTest

/// The geometry and the hierarchy of views.
@MainActor final class ViewTests: AppTestCase {
    private func view(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> UIView {
        UIView(frame: CGRect(x, y, width, height))
    }

    func testDefaults() async throws {
        let view = UIView()
        XCTAssertEqual(view.frame, .zero)
        XCTAssertEqual(view.alpha, 1)
        XCTAssertEqual([view.isHidden, view.isUserInteractionEnabled, view.clipsToBounds], [false, true, false])
        XCTAssertNil(view.backgroundColor)
        XCTAssertEqual(view.autoresizingMask, [])
        XCTAssertTrue(view.translatesAutoresizingMaskIntoConstraints)
        XCTAssertEqual(view.semanticContentAttribute, .unspecified)
        XCTAssertEqual(view.effectiveUserInterfaceLayoutDirection, .leftToRight)
        view.semanticContentAttribute = .forceRightToLeft
        XCTAssertEqual(view.effectiveUserInterfaceLayoutDirection, .rightToLeft)
        XCTAssertEqual(UIView.userInterfaceLayoutDirection(for: .playback), .leftToRight)
    }

    func testAFlexiblePartWithoutLengthGetsNothingBesideOneThatHasSome() async throws {
        let (outer, inner) = (view(0, 0, 100, 100), view(0, 0, 50, 100))
        inner.autoresizingMask = [.flexibleLeftMargin, .flexibleRightMargin, .flexibleTopMargin, .flexibleHeight]
        outer.addSubview(inner)
        outer.frame.size = CGSize(200, 300)
        outer.layoutIfNeeded()
        XCTAssertEqual(inner.frame, CGRect(0, 0, 50, 300))
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
            view.frame.size.height = bad
            view.frame.origin.x = bad
            view.center.y = bad
            XCTAssertEqual(view.frame, frame)
            XCTAssertEqual(view.bounds, CGRect(0, 0, 3, 4))
        }
        let logged = app.system.messages.count
        XCTAssertGreaterThan(logged, 0)
        view.frame.size.width = .nan
        XCTAssertEqual(app.system.messages.count, logged)
        XCTAssertEqual(UIView(frame: CGRect(0, 0, CGFloat.nan, 1)).frame, .zero)
        view.frame.size.width = .greatestFiniteMagnitude
        view.layoutIfNeeded()
        XCTAssertEqual(view.frame.width, .greatestFiniteMagnitude)
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
        assertCalls("2 will superview true, 2 superview true, 1 added")
        let root = UIViewController()
        let window = app.show(root)
        root.view.addSubview(outer)
        assertCalls([
            "1 will superview true", "1 will window true", "2 will window true", "1 window true", "2 window true",
            "1 superview true",
        ])
        XCTAssertIdentical(inner.window, window)
        inner.removeFromSuperview()
        assertCalls("1 removes 1, 2 will superview false, 2 will window false, 2 window false, 2 superview false")
    }

    func testCoordinatesAreConvertedThroughBoundsOrigins() async throws {
        let root = UIViewController()
        let window = app.show(root)
        let (scrolled, inner, other) = (view(100, 50, 200, 200), view(10, 20, 30, 40), view(7, 8, 9, 10))
        root.view.addSubview(scrolled)
        root.view.addSubview(other)
        scrolled.addSubview(inner)
        scrolled.bounds.origin = CGPoint(5, 60)
        let target: UIView? = root.view
        XCTAssertEqual(inner.convert(CGPoint(1, 2), to: target), CGPoint(106, 12))
        XCTAssertEqual(inner.convert(CGPoint(106, 12), from: target), CGPoint(1, 2))
        let nowhere: UIView? = nil
        XCTAssertEqual(inner.convert(inner.bounds, to: nowhere), CGRect(105, 10, 30, 40))
        XCTAssertEqual(inner.convert(window.bounds, from: nowhere).origin, CGPoint(-105, -10))
        XCTAssertEqual(inner.convert(inner.bounds, to: other), CGRect(98, 2, 30, 40))
        // The same through coordinate spaces.
        let space: any UICoordinateSpace = other
        XCTAssertEqual(inner.convert(inner.bounds, to: space), CGRect(98, 2, 30, 40))
        try app.system.place(app.scene, in: CGRect(11, 12, 500, 400))
        XCTAssertEqual(inner.convert(CGPoint.zero, to: app.scene.screen.coordinateSpace), CGPoint(11 + 105, 12 + 10))
        // Views that share no window meet in their topmost view's coordinates.
        let loose = view(1, 1, 2, 2)
        XCTAssertEqual(loose.convert(CGPoint.zero, to: nowhere), CGPoint(0, 0))
    }

    func testColoursAreValues() async throws {
        XCTAssertEqual(UIColor.red, UIColor(red: 1, green: 0, blue: 0, alpha: 1))
        XCTAssertNotEqual(UIColor.red, UIColor.red.withAlphaComponent(0.5))
        XCTAssertEqual(UIColor(white: 7, alpha: -1), UIColor(white: 1, alpha: 0))
        XCTAssertEqual(UIColor.clear.hash, UIColor(white: 0, alpha: 0).hash)
    }

    /// Red, green, blue and alpha of 255, as Apple documents them for a light interface.
    func testTheNamedColours() async {
        let colours: [(UIColor, [CGFloat])] = [
            (.black, [0, 0, 0, 255]), (.darkGray, [85, 85, 85, 255]), (.gray, [127.5, 127.5, 127.5, 255]),
            (.lightGray, [170, 170, 170, 255]), (.white, [255, 255, 255, 255]), (.clear, [0, 0, 0, 0]),
            (.red, [255, 0, 0, 255]), (.green, [0, 255, 0, 255]), (.blue, [0, 0, 255, 255]),
            (.yellow, [255, 255, 0, 255]), (.orange, [255, 127.5, 0, 255]), (.brown, [153, 102, 51, 255]),
            (.purple, [127.5, 0, 127.5, 255]), (.cyan, [0, 255, 255, 255]), (.magenta, [255, 0, 255, 255]),
            (.systemBackground, [255, 255, 255, 255]), (.secondarySystemBackground, [242, 242, 247, 255]),
            (.systemGroupedBackground, [242, 242, 247, 255]), (.label, [0, 0, 0, 255]),
            (.secondaryLabel, [60, 60, 67, 153]), (.systemBlue, [0, 122, 255, 255]), (.systemRed, [255, 59, 48, 255]),
            (.systemGreen, [52, 199, 89, 255]), (.systemGray, [142, 142, 147, 255]),
        ]
        for (index, (colour, parts)) in colours.enumerated() {
            let p = parts.map { $0 / 255 }
            XCTAssertEqual(colour, UIColor(red: p[0], green: p[1], blue: p[2], alpha: p[3]), "number \(index)")
        }
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
}
