import UIKit
import XCTest

/// Appearance calls pass the `animated` with which the app has asked for the change.
@MainActor final class AnimatedTests: XCTestCase {
    /// Records the calls with their `animated`.
    private class Recorder: UIViewController {
        var calls: [String] = []

        override func viewWillAppear(_ animated: Bool) { calls.append("willAppear \(animated)") }
        override func viewIsAppearing(_ animated: Bool) { calls.append("isAppearing \(animated)") }
        override func viewDidAppear(_ animated: Bool) { calls.append("didAppear \(animated)") }
        override func viewWillDisappear(_ animated: Bool) { calls.append("willDisappear \(animated)") }
        override func viewDidDisappear(_ animated: Bool) { calls.append("didDisappear \(animated)") }

        func take() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    /// Leaves as soon as it has appeared.
    private final class Leaving: Recorder {
        override func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            navigationController?.popViewController(animated: !animated)
        }
    }

    private final class Delegate: NSObject, UINavigationControllerDelegate {
        var calls: [String] = []

        func navigationController(_: UINavigationController, willShow _: UIViewController, animated: Bool) {
            calls.append("willShow \(animated)")
        }

        func navigationController(_: UINavigationController, didShow _: UIViewController, animated: Bool) {
            calls.append("didShow \(animated)")
        }
    }

    private func appears(_ animated: Bool) -> [String] {
        ["willAppear", "isAppearing", "didAppear"].map { "\($0) \(animated)" }
    }

    private func disappears(_ animated: Bool) -> [String] {
        ["willDisappear", "didDisappear"].map { "\($0) \(animated)" }
    }

    func testPushesAndPops() async throws {
        let app = try TestApp().launched()
        let (below, above, delegate) = (Recorder(), Recorder(), Delegate())
        let navigation = UINavigationController(rootViewController: below)
        navigation.delegate = delegate
        app.show(navigation)
        XCTAssertEqual(below.take(), appears(false))
        for animated in [true, false] {
            delegate.calls = []
            navigation.pushViewController(above, animated: animated)
            XCTAssertEqual(below.take(), disappears(animated))
            XCTAssertEqual(above.take(), appears(animated))
            navigation.popViewController(animated: animated)
            XCTAssertEqual(below.take(), appears(animated))
            XCTAssertEqual(above.take(), disappears(animated))
            XCTAssertEqual(
                delegate.calls,
                Array(repeating: ["willShow", "didShow"], count: 2).joined().map { "\($0) \(animated)" })
        }
        navigation.setViewControllers([above], animated: true)
        XCTAssertEqual(above.take(), appears(true))
        XCTAssertEqual(below.take(), disappears(true))
    }

    func testAPopWithinAPushIsAnimatedAsItself() async throws {
        let app = try TestApp().launched()
        for animated in [true, false] {
            let (below, above) = (Recorder(), Leaving())
            let navigation = UINavigationController(rootViewController: below)
            app.show(navigation)
            XCTAssertEqual(below.take(), appears(false))
            navigation.pushViewController(above, animated: animated)
            XCTAssertEqual(below.take(), disappears(animated) + appears(!animated))
            XCTAssertEqual(above.take(), appears(animated) + disappears(!animated))
        }
    }

    func testPresentations() async throws {
        let app = try TestApp().launched()
        let root = Recorder()
        app.show(root)
        XCTAssertEqual(root.take(), appears(false))
        for (presented, dismissed) in [(true, false), (false, true), (true, true)] {
            let modal = Recorder()
            modal.modalPresentationStyle = .fullScreen
            root.present(modal, animated: presented)
            XCTAssertEqual(root.take(), disappears(presented))
            XCTAssertEqual(modal.take(), appears(presented))
            root.dismiss(animated: dismissed)
            XCTAssertEqual(root.take(), appears(dismissed))
            XCTAssertEqual(modal.take(), disappears(dismissed))
        }
    }

    func testWhatIsWithinAndWhatTheAppRuns() async throws {
        let app = try TestApp().launched()
        let (root, child) = (Recorder(), Recorder())
        app.show(root)
        root.present(UINavigationController(rootViewController: child), animated: true)
        XCTAssertEqual(child.take(), appears(true))
        root.dismiss(animated: false)
        XCTAssertEqual(child.take(), disappears(false))
        _ = root.take()
        root.beginAppearanceTransition(false, animated: true)
        root.endAppearanceTransition()
        XCTAssertEqual(root.take(), disappears(true))
    }
}
