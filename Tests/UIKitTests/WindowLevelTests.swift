import UIKit
import XCTest

/// Which window of a scene is in front, and which is key.
@MainActor final class WindowLevelTests: AppTestCase {
    private final class Window: UIWindow {
        var name = ""
        var mayBecomeKey = true
        override var canBecomeKey: Bool { mayBecomeKey }
        override func becomeKey() {
            super.becomeKey()
            DelegateCalls.all.append("\(name) became key")
        }
        override func resignKey() {
            super.resignKey()
            DelegateCalls.all.append("\(name) resigned key")
        }
    }

    private func window(_ name: String, _ app: TestApp) -> Window {
        let window = Window(windowScene: app.scene)
        window.name = name
        return window
    }

    func testLevelsOrderWindowsFromTheBackToTheFront() async throws {
        XCTAssertEqual([UIWindow.Level.normal, .statusBar, .alert].map(\.rawValue), [0, 1000, 2000])
        XCTAssertEqual(UIWindow.Level.alert + 1, UIWindow.Level(rawValue: 2001))
        XCTAssertLessThan(UIWindow.Level.normal - 1, .normal)
        let app = try TestApp().launched()
        let (a, b, c) = (window("a", app), window("b", app), window("c", app))
        XCTAssertEqual(app.scene.windows, [a, b, c])
        a.windowLevel = .alert
        XCTAssertEqual(app.scene.windows, [b, c, a])
        let d = window("d", app)
        XCTAssertEqual(app.scene.windows, [b, c, d, a])
        b.makeKeyAndVisible()
        XCTAssertEqual(app.scene.windows, [c, d, b, a], "in front of its level")
        a.windowLevel = .normal - 1
        XCTAssertEqual(app.scene.windows, [a, c, d, b])
        XCTAssertEqual(UIApplication.shared.windows, app.scene.windows)
    }

    func testKeyWindowsAreNotified() async throws {
        let (a, b) = (window("a", app), window("b", app))
        let names: [(NSNotification.Name, String)] = [
            (UIWindow.didBecomeKeyNotification, "key"), (UIWindow.didResignKeyNotification, "not key"),
            (UIWindow.didBecomeVisibleNotification, "visible"), (UIWindow.didBecomeHiddenNotification, "hidden"),
        ]
        let observers = names.map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                let window = notification.object as? Window
                MainActor.assumeIsolated { DelegateCalls.all.append("\(window?.name ?? "") \(text)") }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        a.makeKeyAndVisible()
        assertCalls("a visible, a became key, a key")
        XCTAssertTrue(a.isKeyWindow)
        XCTAssertTrue(UIApplication.shared.keyWindow === a)
        b.makeKeyAndVisible()
        assertCalls("b visible, a resigned key, a not key, b became key, b key")
        b.makeKey()
        assertCalls("", "it is")
        a.mayBecomeKey = false
        b.isHidden = true
        assertCalls("b hidden, b resigned key, b not key")
        a.makeKey()
        XCTAssertFalse(a.isKeyWindow)
        b.isHidden = false
        assertCalls("b visible, b became key, b key")
        b.windowScene = nil
        assertCalls("b resigned key, b not key")
    }

    func testAnotherWindowIsKeyOnceTheKeyWindowIsHiddenOrLeaves() async throws {
        let (a, b, alert) = (window("a", app), window("b", app), window("alert", app))
        alert.windowLevel = .alert
        for window in [a, b, alert] { window.makeKeyAndVisible() }
        assertCalls("alert resigned key, b became key", "the front-most") { alert.isHidden = true }
        XCTAssertIdentical(app.scene.keyWindow, b)
        alert.isHidden = false
        XCTAssertIdentical(app.scene.keyWindow, b, "showing one does not make it key")
        alert.mayBecomeKey = false
        assertCalls("b resigned key, a became key", "the alert cannot be key") { b.windowScene = nil }
        XCTAssertIdentical(app.scene.keyWindow, a)
        let disconnection = try calls("key") { try app.system.disconnect(app.scene) }
        assertText(disconnection, "a resigned key", "none becomes key as its scene disconnects")
    }

    func testARootControllerThatMovesToAnotherWindowKeepsItsView() async throws {
        let (old, new, root) = (window("old", app), window("new", app), UIViewController())
        for window in [old, new] { window.makeKeyAndVisible() }
        old.rootViewController = root
        new.rootViewController = root
        XCTAssertIdentical(root.view.window, new)
        old.rootViewController = nil
        XCTAssertIdentical(root.view.window, new)
        try app.resize(700, 500)
        XCTAssertEqual(root.view.frame.size, CGSize(700, 500))
        new.rootViewController = nil
        XCTAssertNil(root.view.window)
    }
}
