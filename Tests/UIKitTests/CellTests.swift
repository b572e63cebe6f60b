import UIKit
import XCTest

/// A list's cells are updated once a turn, before the layout, when their state or
/// traits have changed.
@MainActor final class CellTests: XCTestCase {
    /// A cell as mail apps have it: an arrow where the messages are on another page.
    private final class MailboxCell: UICollectionViewListCell {
        var states: [UICellConfigurationState] = []
        var calls: [String] = []
        var onUpdate: (MailboxCell) -> Void = { _ in }

        override func updateConfiguration(using state: UICellConfigurationState) {
            super.updateConfiguration(using: state)
            states.append(state)
            calls.append("update")
            var content = defaultContentConfiguration()
            content.text = state.isSelected ? "Inbox, selected" : "Inbox"
            contentConfiguration = content
            if state.traitCollection.splitViewControllerLayoutEnvironment == .collapsed {
                accessories = [.disclosureIndicator()]
            } else {
                accessories = []
            }
            onUpdate(self)
        }

        override func layoutSubviews() {
            super.layoutSubviews()
            calls.append("layout")
        }

        func drain() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    private let root = UIViewController()

    private func app() throws -> TestApp {
        let app = try TestApp().launched()
        UIWindow.show(root, in: app.scene)
        return app
    }

    func testACellIsUpdatedWhenItIsFirstInAWindow() async throws {
        let app = try app()
        let cell = MailboxCell(frame: CGRect(x: 0, y: 0, width: 300, height: 44))
        XCTAssertEqual(cell.drain(), [])
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain(), ["update", "layout"])
        app.system.advance(by: .zero)
        try app.resize(700, 700)
        XCTAssertEqual(cell.drain(), [], "nothing that it has has changed")
        cell.removeFromSuperview()
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        XCTAssertFalse(cell.drain().contains("update"), "first means first")
    }

    func testCellsThatAreAddedInALayoutAreUpdatedOnce() async throws {
        let app = try app()
        let list = RecordingView("list")
        let cells = (0..<3).map { _ in MailboxCell(frame: .zero) }
        list.onLayout = { list in
            for cell in cells where cell.superview == nil {
                list.addSubview(cell)
                if cell === cells[1] { cell.layoutIfNeeded() }
            }
        }
        root.view.addSubview(list)
        app.turn()
        for cell in cells { XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"]) }
        root.traitOverrides.splitViewControllerLayoutEnvironment = .collapsed
        app.turn()
        for cell in cells { XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"]) }
    }

    func testACellOfAScenesFirstWindow() async throws {
        let app = try TestApp()
        let cell = MailboxCell(frame: .zero)
        RecordingSceneDelegate.onConnect = { [root] scene, delegate in
            root.view.addSubview(cell)
            delegate.window = UIWindow.show(root, in: scene)
        }
        try app.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
    }

    func testStatesMarkACellOnceATurn() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        _ = cell.drain()
        cell.isSelected = true
        cell.isHighlighted = true
        cell.setNeedsUpdateConfiguration()
        XCTAssertEqual(cell.drain(), [], "not at once")
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
        XCTAssertEqual(cell.states.last?.isSelected, true)
        XCTAssertEqual(cell.states.last?.isHighlighted, true)
        XCTAssertEqual((cell.contentConfiguration as? UIListContentConfiguration)?.text, "Inbox, selected")
        cell.isSelected = true
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain(), [], "it was")
    }

    func testACellThatTakesNoTouchesIsDisabled() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        root.view.addSubview(cell)
        app.turn()
        XCTAssertEqual(cell.states.last?.isDisabled, false)
        _ = cell.drain()
        cell.isUserInteractionEnabled = false
        app.turn()
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
        XCTAssertEqual(cell.states.last?.isDisabled, true)
    }

    func testTheLayoutEnvironmentDecidesTheArrow() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.accessories.count, 0)
        for (environment, arrows) in [(UISplitViewController.LayoutEnvironment.collapsed, 1), (.expanded, 0)] {
            _ = cell.drain()
            root.traitOverrides.splitViewControllerLayoutEnvironment = environment
            cell.setNeedsUpdateConfiguration()
            app.system.advance(by: .zero)
            XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"], "once for both reasons")
            XCTAssertEqual(cell.accessories.map(\.accessoryType), Array(repeating: .disclosureIndicator, count: arrows))
            XCTAssertEqual(cell.configurationState.traitCollection.splitViewControllerLayoutEnvironment, environment)
        }
    }

    func testASplitViewUpdatesItsCellsOnceForACollapseAndOnceForAnExpansion() async throws {
        final class Mailboxes: UIViewController {
            let cell = MailboxCell(frame: CGRect(x: 0, y: 0, width: 300, height: 44))
            var received: [UISplitViewController.LayoutEnvironment] = []
            override func viewDidLoad() {
                view.addSubview(cell)
                registerForTraitChanges([UITraitSplitViewControllerLayoutEnvironment.self]) { (self: Self, _) in
                    self.received.append(self.traitCollection.splitViewControllerLayoutEnvironment)
                }
            }
        }
        let app = try TestApp().launched()
        let mailboxes = Mailboxes()
        let split = UISplitViewController(style: .doubleColumn)
        split.setViewController(mailboxes, for: .primary)
        split.setViewController(UIViewController(), for: .secondary)
        split.preferredDisplayMode = .oneBesideSecondary
        let window = UIWindow.show(split, in: app.scene)
        app.system.advance(by: .zero)
        XCTAssertFalse(split.isCollapsed)
        XCTAssertEqual(mailboxes.traitCollection.splitViewControllerLayoutEnvironment, .expanded)
        XCTAssertEqual(split.traitCollection.splitViewControllerLayoutEnvironment, .none, "it is not its own ancestor")
        XCTAssertEqual(mailboxes.cell.accessories.count, 0)
        mailboxes.received = []
        _ = mailboxes.cell.drain()
        split.show(.primary)
        // The list is on top of the stack, so that it stays in the window.
        final class ShowsList: NSObject, UISplitViewControllerDelegate {
            func splitViewController(
                _ svc: UISplitViewController,
                topColumnForCollapsingToProposedTopColumn proposedTopColumn: UISplitViewController.Column
            ) -> UISplitViewController.Column { .primary }
        }
        let delegate = ShowsList()
        split.delegate = delegate
        try app.resize(500, 700)
        XCTAssertTrue(split.isCollapsed)
        XCTAssertEqual(mailboxes.received, [.collapsed])
        XCTAssertEqual(mailboxes.cell.drain().filter { $0 == "update" }, ["update"])
        XCTAssertEqual(mailboxes.cell.accessories.map(\.accessoryType), [.disclosureIndicator])
        try app.resize(1000, 700)
        XCTAssertFalse(split.isCollapsed)
        XCTAssertEqual(mailboxes.received, [.collapsed, .expanded])
        XCTAssertEqual(mailboxes.cell.drain().filter { $0 == "update" }, ["update"])
        XCTAssertEqual(mailboxes.cell.accessories.count, 0)
    }

    func testACellInAHiddenWindowOrNoneWaits() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        _ = cell.drain()
        let window = app.scene.windows[0]
        window.isHidden = true
        cell.isSelected = true
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain(), [])
        window.isHidden = false
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
        cell.removeFromSuperview()
        cell.isSelected = false
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain(), [])
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
    }

    func testAHandlerInsteadOfASubclass() async throws {
        let app = try app()
        let cell = UICollectionViewListCell(frame: .zero)
        var received: [Bool] = []
        cell.configurationUpdateHandler = { _, state in received.append(state.isSelected) }
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        cell.isSelected = true
        app.system.advance(by: .zero)
        XCTAssertEqual(received, [false, true])
    }

    func testACellThatMarksItselfIsBoundedAndLogged() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        cell.onUpdate = { $0.setNeedsUpdateConfiguration() }
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        XCTAssertEqual(cell.states.count, UISystem.layoutsMax)
        XCTAssertTrue(app.system.messages.contains { $0.contains("MailboxCell") })
    }

    func testTheContentsView() async throws {
        let app = try app()
        let cell = MailboxCell(frame: CGRect(x: 0, y: 0, width: 300, height: 44))
        root.view.addSubview(cell)
        app.system.advance(by: .zero)
        let view = try XCTUnwrap(cell.contentView as? UIListContentView)
        XCTAssertEqual(view.frame, cell.bounds)
        XCTAssertEqual((view.configuration as? UIListContentConfiguration)?.text, "Inbox")
        cell.isSelected = true
        app.system.advance(by: .zero)
        XCTAssertTrue(cell.contentView === view, "it is kept where it can show the new content")
        XCTAssertEqual((view.configuration as? UIListContentConfiguration)?.text, "Inbox, selected")
        cell.contentConfiguration = nil
        XCTAssertNil(view.superview)
    }

    func testContentsOfAnApp() async throws {
        final class Face: UIView, UIContentView {
            var configuration: any UIContentConfiguration
            init(_ configuration: Smile) {
                self.configuration = configuration
                super.init(frame: .zero)
            }
            required init?(coder: NSCoder) { nil }
        }
        struct Smile: UIContentConfiguration {
            var isWide = false
            func makeContentView() -> UIView & UIContentView { Face(self) }
            func updated(for state: any UIConfigurationState) -> Smile {
                Smile(isWide: (state as? UICellConfigurationState)?.isHighlighted == true)
            }
        }
        let app = try app()
        let cell = UICollectionViewCell(frame: .zero)
        cell.contentConfiguration = Smile()
        root.view.addSubview(cell)
        cell.isHighlighted = true
        app.system.advance(by: .zero)
        XCTAssertEqual((cell.contentConfiguration as? Smile)?.isWide, true)
        XCTAssertEqual(((cell.contentView as? Face)?.configuration as? Smile)?.isWide, true)
    }

    func testStatesAreValues() async throws {
        let key = UIConfigurationStateCustomKey("com.example.unread")
        var state = UICellConfigurationState(traitCollection: UITraitCollection(horizontalSizeClass: .compact))
        let plain = state
        XCTAssertNil(state[key])
        state[key] = 3
        XCTAssertEqual(state[key], 3)
        XCTAssertNotEqual(state, plain)
        state[key] = nil
        XCTAssertEqual(state, plain)
        for flag in [
            \UICellConfigurationState.isSelected, \.isHighlighted, \.isFocused, \.isDisabled, \.isEditing, \.isExpanded,
        ] { XCTAssertFalse(state[keyPath: flag]) }
    }

    func testAccessories() async throws {
        let arrow = UICellAccessory.disclosureIndicator()
        XCTAssertEqual(arrow.accessoryType, .disclosureIndicator)
        XCTAssertEqual(arrow.displayedState, .always)
        XCTAssertEqual(
            UICellAccessory.disclosureIndicator(displayed: .whenNotEditing, options: .init(isHidden: true)).isHidden,
            true)
        XCTAssertEqual(UICellAccessory.delete().displayedState, .whenEditing)
        XCTAssertEqual(UICellAccessory.reorder().displayedState, .whenEditing)
        XCTAssertEqual(UICellAccessory.checkmark().accessoryType, .checkmark)
    }
}
