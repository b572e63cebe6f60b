import UIKit
import XCTest

/// A stack, or a root, that changes in a callback of the change before.
@MainActor final class StackInCallbacksTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

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
}
