import UIKit
import XCTest

/// Tabs that change in a callback, or late.
@MainActor final class TabInCallbacksTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(platform: .phone).launched() }

    private func tab(_ controller: HookedController) -> UITab {
        UITab(title: controller.name, image: nil, identifier: controller.name) { _ in controller }
    }

    func testAProviderThatSelectsAnotherTabHasItsWay() async throws {
        let all = hooked("a", "b")
        let controller = UITabBarController()
        let first = UITab(title: "a", image: nil, identifier: "a") { _ in
            controller.selectedTab = controller.tabs[1]
            return all[0]
        }
        controller.tabs = [first, tab(all[1])]
        app.show(controller)
        XCTAssertEqual(controller.selectedTab?.identifier, "b")
        checkShown("b", of: all)
    }
}
