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

    /// A cell in the window of an app, updated once.
    private func shown() throws -> (TestApp, MailboxCell) {
        let (app, cell) = (try app(), MailboxCell(frame: .zero))
        app.turn { root.view.addSubview(cell) }
        XCTAssertEqual(cell.drain().filter { $0 == "update" }, ["update"])
        return (app, cell)
    }

    /// Compares how often a cell is updated in the turn of a change.
    private func check(
        _ updates: Int, _ cell: MailboxCell, _ app: TestApp, _ why: String = "", line: UInt = #line,
        in change: () -> Void
    ) {
        change()
        XCTAssertEqual(cell.drain(), [], "not at once", line: line)
        app.turn()
        XCTAssertEqual(cell.drain().count { $0 == "update" }, updates, why, line: line)
    }

    func testACellIsUpdatedWhenItIsFirstInAWindow() async throws {
        let app = try app()
        let cell = MailboxCell(frame: CGRect(0, 0, 300, 44))
        app.turn { root.view.addSubview(cell) }
        XCTAssertEqual(cell.drain(), ["update", "layout"])
        app.turn()
        try app.resize(700, 700)
        XCTAssertEqual(cell.drain(), [], "nothing that it has has changed")
        check(0, cell, app, "first means first") {
            cell.removeFromSuperview()
            root.view.addSubview(cell)
        }
        let first = try TestApp()
        let other = MailboxCell(frame: .zero)
        RecordingSceneDelegate.onConnect = { scene, delegate in
            let root = UIViewController()
            root.view.addSubview(other)
            delegate.window = UIWindow.show(root, in: scene)
        }
        try first.system.launch(PlainAppDelegate.self)
        XCTAssertEqual(other.drain().count { $0 == "update" }, 1, "in a scene's first window")
    }

    func testCellsThatAreAddedInALayoutAreUpdatedOnce() async throws {
        let (app, list) = (try app(), RecordingView("list"))
        let cells = (0..<3).map { _ in MailboxCell(frame: .zero) }
        list.onLayout = { list in
            for cell in cells where cell.superview == nil {
                list.addSubview(cell)
                if cell === cells[1] { cell.layoutIfNeeded() }
            }
        }
        app.turn { root.view.addSubview(list) }
        for cell in cells { XCTAssertEqual(cell.drain().count { $0 == "update" }, 1) }
        app.turn { root.traitOverrides.splitViewControllerLayoutEnvironment = .collapsed }
        for cell in cells { XCTAssertEqual(cell.drain().count { $0 == "update" }, 1) }
    }

    func testStatesMarkACellOnceATurn() async throws {
        let (app, cell) = try shown()
        check(1, cell, app, "for three reasons") {
            cell.isSelected = true
            cell.isHighlighted = true
            cell.setNeedsUpdateConfiguration()
        }
        let state = try XCTUnwrap(cell.states.last)
        XCTAssertTrue(state.isSelected && state.isHighlighted && !state.isDisabled)
        XCTAssertEqual((cell.contentConfiguration as? UIListContentConfiguration)?.text, "Inbox, selected")
        check(0, cell, app, "it was") { cell.isSelected = true }
        check(1, cell, app, "it takes no touches") { cell.isUserInteractionEnabled = false }
        XCTAssertEqual(cell.states.last?.isDisabled, true)
    }

    func testTheLayoutEnvironmentDecidesTheArrow() async throws {
        let (app, cell) = try shown()
        XCTAssertEqual(cell.accessories.count, 0)
        for (environment, arrows) in [(UISplitViewController.LayoutEnvironment.collapsed, 1), (.expanded, 0)] {
            check(1, cell, app, "once for both reasons") {
                root.traitOverrides.splitViewControllerLayoutEnvironment = environment
                cell.setNeedsUpdateConfiguration()
            }
            XCTAssertEqual(cell.accessories.map(\.accessoryType), Array(repeating: .disclosureIndicator, count: arrows))
            XCTAssertEqual(cell.configurationState.traitCollection.splitViewControllerLayoutEnvironment, environment)
        }
    }

    func testACellInAHiddenWindowOrNoneWaits() async throws {
        let (app, cell) = try shown()
        let window = app.scene.windows[0]
        check(0, cell, app, "hidden") {
            window.isHidden = true
            cell.isSelected = true
        }
        window.isHidden = false
        XCTAssertEqual(cell.drain().count { $0 == "update" }, 1)
        check(0, cell, app, "in no window") {
            cell.removeFromSuperview()
            cell.isSelected = false
        }
        check(1, cell, app) { root.view.addSubview(cell) }
    }

    func testAHandlerInsteadOfASubclass() async throws {
        let app = try app()
        let cell = UICollectionViewListCell(frame: .zero)
        var received: [Bool] = []
        cell.configurationUpdateHandler = { _, state in received.append(state.isSelected) }
        app.turn { root.view.addSubview(cell) }
        app.turn { cell.isSelected = true }
        XCTAssertEqual(received, [false, true])
    }

    func testAHandlerHasTheLastWord() async throws {
        final class Cell: UICollectionViewListCell {
            var calls: [String] = []
            override func updateConfiguration(using state: UICellConfigurationState) { calls.append("cell") }
        }
        let (app, cell) = (try app(), Cell(frame: .zero))
        cell.configurationUpdateHandler = { [unowned cell] _, _ in cell.calls.append("handler") }
        app.turn { root.view.addSubview(cell) }
        XCTAssertEqual(cell.calls, ["cell", "handler"])
    }

    func testACellThatMarksItselfIsBoundedAndLogged() async throws {
        let app = try app()
        let cell = MailboxCell(frame: .zero)
        cell.onUpdate = { $0.setNeedsUpdateConfiguration() }
        app.turn { root.view.addSubview(cell) }
        XCTAssertEqual(cell.states.count, UISystem.layoutsMax)
        XCTAssertTrue(app.system.messages.contains { $0.contains("MailboxCell") })
    }

    func testTheContentsView() async throws {
        let app = try app()
        let cell = MailboxCell(frame: CGRect(0, 0, 300, 44))
        app.turn { root.view.addSubview(cell) }
        let view = try XCTUnwrap(cell.contentView as? UIListContentView)
        XCTAssertEqual(view.frame, cell.bounds)
        XCTAssertEqual((view.configuration as? UIListContentConfiguration)?.text, "Inbox")
        app.turn { cell.isSelected = true }
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
        app.turn { cell.isHighlighted = true }
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
