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

    func testTheLevelsAreApples() async {
        XCTAssertEqual([UIWindow.Level.normal, .statusBar, .alert].map(\.rawValue), [0, 1000, 2000])
        XCTAssertEqual(UIWindow.Level.alert + 1, UIWindow.Level(rawValue: 2001))
        XCTAssertLessThan(UIWindow.Level.normal - 1, .normal)
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
}
