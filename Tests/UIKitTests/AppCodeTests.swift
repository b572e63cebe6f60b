import TestSupport
import UIKit
import XCTest

final class UnifiedSceneDelegate: UIResponder, UIWindowSceneDelegate {
    func preferredWindowingControlStyle(for scene: UIWindowScene) -> UIWindowScene.WindowingControlStyle {
        return .unified
    }
}

/// Containers and layout as an app writes them: without any access to the module's inside.
@MainActor final class AppCodeTests: XCTestCase {
    // MARK: What an app has

    /// Shows an arrow only where a selection pushes.
    final class RecipeCell: UICollectionViewListCell {
        var updates = 0

        override func updateConfiguration(using state: UICellConfigurationState) {
            updates += 1
            var content = defaultContentConfiguration()
            content.text = "Bread"
            contentConfiguration = content
            if state.traitCollection.splitViewControllerLayoutEnvironment == .collapsed {
                accessories = [.disclosureIndicator()]
            } else {
                accessories = []
            }
        }
    }

    final class RecipesViewController: UIViewController {
        let cell = RecipeCell(frame: CGRect(x: 0, y: 0, width: 200, height: 44))

        override func viewDidLoad() {
            super.viewDidLoad()
            view.addSubview(cell)
        }
    }

    final class CookbookDelegate: NSObject, UITabBarControllerDelegate {
        var showsShelf = true

        func tabBarController(
            _ tabBarController: UITabBarController, displayedViewControllersFor tab: UITab,
            proposedViewControllers: [UIViewController]
        ) -> [UIViewController] {
            if tab.identifier == "Shelf" && !self.showsShelf {
                return []
            } else {
                return proposedViewControllers
            }
        }
    }

    /// A content view that four constraints tie to a guide of its container.
    final class PageViewController: UIViewController {
        let contentView = UIView()
        /// Returns the guide of the container.
        var guide: (UIView) -> UILayoutGuide = { $0.layoutMarginsGuide }

        override func viewDidLoad() {
            super.viewDidLoad()
            contentView.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(contentView)
            let contentGuide = guide(view)
            NSLayoutConstraint.activate([
                contentView.topAnchor.constraint(equalTo: contentGuide.topAnchor),
                contentView.leadingAnchor.constraint(equalTo: contentGuide.leadingAnchor),
                contentView.bottomAnchor.constraint(equalTo: contentGuide.bottomAnchor),
                contentView.trailingAnchor.constraint(equalTo: contentGuide.trailingAnchor),
            ])
        }
    }

    // MARK: What happens

    func testACellHasAnArrowWhileColumnsAreStacked() async throws {
        let (app, recipes) = (try TestApp(.pad, 1_000, 800), RecipesViewController())
        let split = UISplitViewController(style: .doubleColumn)
        split.setViewController(recipes, for: .primary)
        split.setViewController(UIViewController(), for: .secondary)
        app.show(split)
        XCTAssertEqual(recipes.cell.accessories.count, 0)
        let updates = recipes.cell.updates
        try app.resize(500, 800)
        split.show(.primary)
        XCTAssertEqual(recipes.cell.accessories.map(\.accessoryType), [.disclosureIndicator])
        XCTAssertEqual(recipes.cell.updates, updates + 1)
        try app.resize(1_000, 800)
        XCTAssertEqual(recipes.cell.accessories.count, 0)
        XCTAssertEqual(recipes.cell.updates, updates + 2)
        XCTAssertEqual((recipes.cell.contentConfiguration as? UIListContentConfiguration)?.text, "Bread")
    }

    /// The secondary column has at least 320 points; the primary one gives way first, down to
    /// its minimum, then the supplementary one.
    func testChosenWidthsHoldWhereThereIsSpace() async throws {
        let app = try TestApp(.pad, 1_366, 1_000)
        let splitViewController = UISplitViewController(style: .tripleColumn)
        for column in [UISplitViewController.Column.primary, .supplementary, .secondary] {
            splitViewController.setViewController(UIViewController(), for: column)
        }
        splitViewController.minimumPrimaryColumnWidth = 200.0
        splitViewController.maximumPrimaryColumnWidth = 400.0
        splitViewController.preferredSupplementaryColumnWidth = 500.0
        app.show(splitViewController)
        let widths: [(CGFloat, CGFloat, CGFloat)] = [(1_366, 320, 500), (1_024, 204, 500), (900, 200, 380)]
        for (width, primary, supplementary) in widths {
            try app.resize(width, 1_000)
            XCTAssertEqual(splitViewController.primaryColumnWidth, primary, "at \(width)")
            XCTAssertEqual(splitViewController.supplementaryColumnWidth, supplementary, "at \(width)")
            let secondary = splitViewController.viewController(for: .secondary)?.view
            let covered = try XCTUnwrap(secondary).safeAreaInsets.left
            XCTAssertEqual(try XCTUnwrap(secondary).bounds.width - covered, width - primary - supplementary)
        }
    }

    func testAnInspectorIsShownOnDemand() async throws {
        let app = try TestApp(.pad, 1_200, 800)
        let (splitViewController, inspectorViewController) = (
            UISplitViewController(style: .doubleColumn), UIViewController()
        )
        splitViewController.setViewController(UIViewController(), for: .secondary)
        app.show(splitViewController)
        splitViewController.setViewController(inspectorViewController, for: .inspector)
        XCTAssertFalse(splitViewController.isShowing(.inspector))
        splitViewController.show(.inspector)
        XCTAssert(splitViewController.isShowing(.inspector))
        let frame = inspectorViewController.view.convert(inspectorViewController.view.bounds, to: nil)
        XCTAssertEqual(frame, CGRect(x: 930, y: 0, width: 270, height: 800), "at the trailing edge")
        try app.resize(500, 800)
        XCTAssert(splitViewController.isShowing(.inspector))
        XCTAssertNotNil(splitViewController.presentedViewController, "a sheet")
    }

    func testAGroupsControllerIsLeftOutOfTheStack() async throws {
        for showsShelf in [true, false] {
            let (app, delegate) = (try TestApp(.pad, 1_200, 800), CookbookDelegate())
            let (shelf, leaf) = (UIViewController(), UIViewController())
            let bread = UITab(title: "Bread", image: nil, identifier: "Bread") { _ in leaf }
            let group = UITabGroup(
                title: "Shelf", image: UIImage(systemName: "books.vertical"), identifier: "Shelf", children: [bread]
            ) { _ in shelf }
            group.managingNavigationController = UINavigationController()
            delegate.showsShelf = showsShelf
            let tabs = UITabBarController(tabs: [group])
            tabs.delegate = delegate
            tabs.selectedTab = bread
            app.show(tabs)
            XCTAssertEqual(
                group.managingNavigationController?.viewControllers, showsShelf ? [shelf, leaf] : [leaf])
        }
    }

    func testAnimationsRunAtOnceAndCompleteAfterTheLayout() async throws {
        let (app, page) = (try TestApp(.pad, 800, 600), PageViewController())
        app.show(page)
        var order: [String] = []
        UIView.animate(withDuration: 0.3) {
            page.view.layoutMargins.left = 50
            page.view.setNeedsLayout()
            order.append("change at \(page.contentView.frame.minX)")
        } completion: {
            order.append("\($0) at \(page.contentView.frame.minX)")
        }
        XCTAssertEqual(order, ["change at 20.0", "true at 50.0"])
        UIView.performWithoutAnimation { order.append("now") }
        XCTAssertEqual(order.last, "now")
    }

    func testAStyleIsOverriddenForAPartOfTheInterface() async throws {
        let (app, page) = (try TestApp(.pad, 800, 600), PageViewController())
        app.show(page)
        XCTAssertEqual(page.overrideUserInterfaceStyle, .unspecified)
        page.overrideUserInterfaceStyle = .dark
        XCTAssertEqual(page.contentView.traitCollection.userInterfaceStyle, .dark)
        XCTAssertEqual(page.view.window?.traitCollection.userInterfaceStyle, .light)
        page.overrideUserInterfaceStyle = .unspecified
        XCTAssertEqual(page.contentView.traitCollection.userInterfaceStyle, .light)
        XCTAssertFalse(page.traitOverrides.contains(UITraitUserInterfaceStyle.self))
    }

    /// Those of a regular window's root view: 20 at the sides.
    func testContentFillsTheMargins() async throws {
        let (app, page) = (try TestApp(.pad, 800, 600), PageViewController())
        app.show(page)
        XCTAssertEqual(page.contentView.frame, CGRect(x: 20, y: 0, width: 760, height: 600))
        try app.resize(700, 500)
        XCTAssertEqual(page.contentView.frame, CGRect(x: 20, y: 0, width: 660, height: 500))
    }

    /// The control takes 66 points, and the margin follows.
    func testABarKeepsClearOfTheWindowControl() async throws {
        let configuration = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).UnifiedSceneDelegate",
        ]
        let app = try TestApp(scenes: [TestApp.window: [configuration]])
        _ = try app.launched()
        let page = PageViewController()
        page.guide = { $0.layoutGuide(for: .margins(cornerAdaptation: .horizontal)) }
        app.show(page)
        try app.resize(700, 500)
        XCTAssertEqual(page.contentView.frame, CGRect(x: 86, y: 0, width: 594, height: 500))
        try app.system.enterFullScreen(app.scene)
        XCTAssertEqual(page.contentView.frame.minX, 20, "no control over the whole screen")
    }

    func testTheStatusBarCoversTheTopOfAScene() async throws {
        var platform = UISystem.Platform.pad
        platform.sceneInsets.window.top = 24
        let app = try TestApp(platform, 800, 600)
        let manager = try XCTUnwrap(app.scene.statusBarManager)
        XCTAssertIdentical(app.scene.statusBarManager, manager)
        XCTAssertEqual(manager.statusBarFrame, CGRect(x: 0, y: 0, width: 800, height: 24))
        XCTAssertFalse(manager.isStatusBarHidden)
        XCTAssertEqual(manager.statusBarStyle, .default)
        try app.system.setSafeAreaInsets(.zero, of: app.scene)
        XCTAssertEqual(manager.statusBarFrame, .zero)
        XCTAssertTrue(manager.isStatusBarHidden)
    }

    func testAButtonOfTheSystemPerformsItsAction() async throws {
        let action = UIAction { _ in }
        let items = [
            UIBarButtonItem(systemItem: .add, primaryAction: action), UIBarButtonItem(systemItem: .flexibleSpace),
        ]
        XCTAssertIdentical(items[0].primaryAction, action)
        XCTAssertNil(items[1].primaryAction)
        XCTAssertEqual(UIBarButtonItem.SystemItem.trash.rawValue, 16)
    }
}
