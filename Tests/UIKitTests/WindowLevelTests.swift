import UIKit
import XCTest

/// Which window of a scene is in front, and which is key.
@MainActor final class WindowLevelTests: AppTestCase {
    func testTheLevelsAreApples() async {
        XCTAssertEqual([UIWindow.Level.normal, .statusBar, .alert].map(\.rawValue), [0, 1000, 2000])
        XCTAssertEqual(UIWindow.Level.alert + 1, UIWindow.Level(rawValue: 2001))
        XCTAssertLessThan(UIWindow.Level.normal - 1, .normal)
    }

    func testAWindowIsBehindThoseOfHigherLevelsAndAboveOlderOnesOfItsOwn() async throws {
        let windows = (0..<4).map { _ in UIWindow(windowScene: app.scene) }
        let before = app.scene.windows.count - windows.count
        func order() -> [Int] {
            app.scene.windows.dropFirst(before).compactMap { window in windows.firstIndex { $0 === window } }
        }
        XCTAssertEqual(order(), [0, 1, 2, 3])
        windows[0].windowLevel = .alert
        windows[2].windowLevel = .statusBar
        XCTAssertEqual(order(), [1, 3, 2, 0])
        windows[1].windowLevel = .statusBar
        XCTAssertEqual(order(), [3, 2, 1, 0])
        windows[0].windowLevel = .normal
        XCTAssertEqual(order(), [3, 0, 2, 1])
    }

    /// Which window is key when: Tests/Cases/scenes/windows.scene.
    func testKeyWindowsAreNotified() async throws {
        let windows = [UIWindow(windowScene: app.scene), UIWindow(windowScene: app.scene)]
        let names: [(NSNotification.Name, String)] = [
            (UIWindow.didBecomeKeyNotification, "key"), (UIWindow.didResignKeyNotification, "not key"),
            (UIWindow.didBecomeVisibleNotification, "visible"), (UIWindow.didBecomeHiddenNotification, "hidden"),
        ]
        let observers = names.map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                let window = notification.object as? UIWindow
                MainActor.assumeIsolated { DelegateCalls.all.append("\(window === windows[0] ? "a" : "b") \(text)") }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        windows[0].makeKeyAndVisible()
        assertCalls("a visible, a key")
        XCTAssertTrue(UIApplication.shared.keyWindow === windows[0])
        windows[1].makeKeyAndVisible()
        assertCalls("b visible, a not key, b key")
        windows[1].isHidden = true
        assertCalls("b hidden, b not key, a key")
        windows[0].windowScene = nil
        assertCalls("a not key")
    }
}
