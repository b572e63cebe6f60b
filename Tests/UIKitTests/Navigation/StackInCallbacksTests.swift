import UIKit
import XCTest

/// A stack, or a root, that changes in a callback of the change before.
@MainActor final class StackInCallbacksTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

    func testAPushWhileTheViewLoadsLeavesOneVisible() async throws {
        let all = hooked("list", "detail", "more")
        let navigation = UINavigationController(rootViewController: all[0])
        all[0].at["loaded"] = { navigation.pushViewController(all[1], animated: false) }
        app.show(navigation)
        checkShown("detail", of: all)
        XCTAssertEqual(all[0].calls, [], "it was never to be seen")
        all[2].at["loaded"] = { navigation.popViewController(animated: false) }
        navigation.pushViewController(all[2], animated: false)
        checkShown("detail", of: all)
        XCTAssertNil(all[2].parent)
        navigation.popViewController(animated: false)
        checkShown("list", of: all)
    }

    /// Whatever callback changes the stack, the top is what is visible in the end, and the children
    /// and the bar follow the stack.
    func testAChangeInAnyCallbackCounts() async throws {
        let moments = [
            "loaded", "will enter", "will appear", "is appearing", "appeared", "will leave", "will disappear",
            "disappeared", "transition", "safe area",
        ]
        let changes: [(String, @MainActor (UINavigationController, HookedController) -> Void)] = [
            ("push", { $0.pushViewController($1, animated: false) }),
            ("pop", { navigation, _ in navigation.popViewController(animated: false) }),
            ("root", { navigation, _ in navigation.popToRootViewController(animated: false) }),
            ("replace", { $0.setViewControllers([$1], animated: false) }),
        ]
        for moment in moments {
            for (name, change) in changes {
                for index in 0..<3 {
                    let app = try TestApp(.pad, 800, 600)
                    let all = hooked("a", "b", "c", "d")
                    let navigation = app.showing(UINavigationController(rootViewController: all[0]))
                    all[index].at[moment] = {
                        if !navigation.viewControllers.contains(all[3]) { change(navigation, all[3]) }
                    }
                    navigation.pushViewController(all[1], animated: false)
                    try app.resize(700, 600)
                    navigation.pushViewController(all[2], animated: false)
                    navigation.popViewController(animated: false)
                    let message = "\(name) in \(all[index].name) \(moment)"
                    let stack = navigation.viewControllers
                    XCTAssertEqual(navigation.children, stack, message)
                    XCTAssertEqual(navigation.navigationBar.items?.map(\.title), stack.map(\.title), message)
                    for controller in all where !stack.contains(controller) { XCTAssertNil(controller.parent, message) }
                    checkShown(stack.last?.title ?? "", of: all, message)
                }
            }
        }
    }

    func testOneThatPopsItselfForItsSafeAreaIsNotLaidOut() async throws {
        let all = hooked("a", "b")
        let navigation = app.showing(UINavigationController(rootViewController: all[0]))
        all[1].at["safe area"] = { navigation.popViewController(animated: false) }
        navigation.pushViewController(all[1], animated: false)
        XCTAssertEqual(all[1].layouts, 0)
        checkShown("a", of: all)
        navigation.pushViewController(all[1], animated: false)
        XCTAssertEqual(all[1].layouts, 1)
    }

    func testCallbacksThatPushWithoutEndAreBoundedAndLogged() async throws {
        let navigation = app.showing(UINavigationController(rootViewController: NamedController("root")))
        func next() -> NamedController {
            let controller = NamedController("next")
            controller.onAppearance = {
                if $0 == "appeared" { navigation.pushViewController(next(), animated: false) }
            }
            return controller
        }
        navigation.pushViewController(next(), animated: false)
        XCTAssertEqual(navigation.viewControllers.count, UISystem.callbacksMax + 2)
        XCTAssertEqual(app.system.messages.count, 1, "\(app.system.messages)")
        navigation.popToRootViewController(animated: false)
        XCTAssertEqual(navigation.viewControllers.titles, "root")
        XCTAssertEqual(navigation.children.titles, "root")
    }

    // MARK: A window's root

    func testARootReplacedInACallbackLeavesOneVisible() async throws {
        for moment in ["loaded", "will appear", "is appearing", "appeared", "will disappear", "disappeared"] {
            for index in 0..<2 where moment != "loaded" || index > 0 {
                let app = try TestApp(.pad, 800, 600)
                let all = hooked("start", "main", "login")
                let window = app.show(all[0])
                all[index].at[moment] = { window.rootViewController = all[2] }
                window.rootViewController = all[1]
                if index == 1, moment.contains("disappear") { window.rootViewController = nil }
                let isLast = index == 1 || moment.contains("disappear")
                checkShown(isLast ? "login" : "main", of: all, "\(all[index].name) \(moment)")
                XCTAssertEqual(window.subviews.count, 1)
                XCTAssertIdentical(window.rootViewController?.view.superview, window)
            }
        }
    }

    func testARootReplacedAsAWindowIsShownNeverAppears() async throws {
        let all = hooked("main", "login")
        let window = UIWindow(windowScene: app.scene)
        all[0].at["loaded"] = { window.rootViewController = all[1] }
        window.rootViewController = all[0]
        window.makeKeyAndVisible()
        checkShown("login", of: all)
        XCTAssertEqual(all[0].calls, [])
    }

    // MARK: The appearance of what leaves while it appears

    private func checkPairs(_ controller: HookedController, _ message: String, line: UInt = #line) {
        let first = ["will appear", "is appearing", "appeared"]
        let last = ["will disappear", "disappeared"]
        for count in 1...3 where controller.calls == first.prefix(count) + last { return }
        XCTFail("\(message): \(controller.calls)", line: line)
    }

    func testOneThatLeavesAsItAppearsAppearsOnce() async throws {
        for moment in ["will appear", "is appearing", "appeared"] {
            let app = try TestApp(platform: .phone).launched()
            var all = hooked("home", "leaf")
            let tabs = UITabBarController()
            tabs.viewControllers = [all[0], UINavigationController(rootViewController: all[1])]
            let window = app.show(tabs)
            all[1].at[moment] = { tabs.selectedIndex = 0 }
            tabs.selectedIndex = 1
            checkShown("home", of: all, moment)
            checkPairs(all[1], "a pane, \(moment)")

            all = hooked("login", "leaf")
            all[1].at[moment] = { window.rootViewController = all[0] }
            window.rootViewController = UINavigationController(rootViewController: all[1])
            checkShown("login", of: all, moment)
            checkPairs(all[1], "a root, \(moment)")
        }
    }

    func testOneThatLeavesAsItsWindowReturnsAppearsOnce() async throws {
        for moment in ["will appear", "is appearing", "appeared"] {
            let app = try TestApp(platform: .phone).launched()
            let all = hooked("home", "leaf")
            let tabs = UITabBarController()
            tabs.viewControllers = [all[0], UINavigationController(rootViewController: all[1])]
            let window = app.show(tabs)
            tabs.selectedIndex = 1
            window.isHidden = true
            for controller in all { controller.calls = [] }
            all[1].at[moment] = { tabs.selectedIndex = 0 }
            window.isHidden = false
            checkShown("home", of: all, moment)
            checkPairs(all[1], moment)
        }
    }
}
