import TestSupport
import UIKit
import XCTest

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
        let cell = RecipeCell(frame: CGRect(0, 0, 200, 44))

        override func viewDidLoad() {
            super.viewDidLoad()
            view.addSubview(cell)
        }
    }

    /// A content view that four constraints tie to a guide of its container.
    final class PageViewController: UIViewController {
        let contentView = UIView()

        override func viewDidLoad() {
            super.viewDidLoad()
            contentView.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(contentView)
            let contentGuide = view.layoutMarginsGuide
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

    func testTheStatusBarCoversTheTopOfAScene() async throws {
        var platform = UISystem.Platform.pad
        platform.sceneInsets.window.top = 24
        let app = try TestApp(platform, 800, 600)
        let manager = try XCTUnwrap(app.scene.statusBarManager)
        XCTAssertIdentical(app.scene.statusBarManager, manager)
        XCTAssertEqual(manager.statusBarFrame, CGRect(0, 0, 800, 24))
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
