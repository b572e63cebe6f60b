import UIKit

/// Shows rows below each other, within the safe area and clear of the window control.
class RowsViewController: UIViewController {
    static let rowHeight: CGFloat = 56

    var rows: [String] = [] {
        didSet { if rows != oldValue { rowsDidChange() } }
    }
    /// The index of the selected row; `nil` for none.
    var selectedRow: Int? {
        didSet { updateSelection() }
    }
    private var cells: [RowCell] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        rowsDidChange()
    }

    private func rowsDidChange() {
        guard let view = viewIfLoaded else { return }
        for cell in cells { cell.removeFromSuperview() }
        cells = rows.map { RowCell(text: $0) }
        for cell in cells { view.addSubview(cell) }
        updateSelection()
    }

    private func updateSelection() {
        for (index, cell) in cells.enumerated() { cell.isSelected = index == selectedRow }
    }

    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        let insets = view.edgeInsets(for: .safeArea(cornerAdaptation: .vertical))
        let space = view.bounds.inset(by: insets)
        for (index, cell) in cells.enumerated() {
            cell.frame = CGRect(
                x: space.origin.x, y: space.origin.y + CGFloat(index) * Self.rowHeight,
                width: max(0, space.size.width), height: Self.rowHeight)
        }
    }
}

/// A row. Where the next column is not beside it, it has an arrow.
final class RowCell: UICollectionViewListCell {
    private let text: String

    init(text: String) {
        self.text = text
        super.init(frame: .zero)
    }

    required init?(coder: NSCoder) { nil }

    override func updateConfiguration(using state: UICellConfigurationState) {
        super.updateConfiguration(using: state)
        var content = defaultContentConfiguration()
        content.text = text
        contentConfiguration = content
        let isBesideNext = state.traitCollection.splitViewControllerLayoutEnvironment == .expanded
        accessories = isBesideNext ? [] : [.disclosureIndicator()]
    }
}

/// The mailboxes: the primary column.
final class MailboxesViewController: RowsViewController {
    var chosen = Mailbox.inbox {
        didSet { selectedRow = Mailbox.all.firstIndex(of: chosen) }
    }

    override func viewDidLoad() {
        title = "Mailboxes"
        rows = Mailbox.all.map(\.title)
        super.viewDidLoad()
    }
}

/// The messages of a mailbox: the supplementary column.
final class MessageListViewController: RowsViewController {
    var mailbox = Mailbox.inbox {
        didSet { mailboxDidChange() }
    }

    override func viewDidLoad() {
        mailboxDidChange()
        super.viewDidLoad()
    }

    private func mailboxDidChange() {
        title = mailbox.title
        rows = mailbox.messages.map { "\($0.sender): \($0.subject)" }
    }
}

/// What is known of the message: the inspector.
final class DetailsViewController: RowsViewController {
    var message: Message? {
        didSet { rows = message.map { ["From \($0.sender)", $0.subject, "\($0.imageCount) images"] } ?? [] }
    }

    override func viewDidLoad() {
        title = "Details"
        super.viewDidLoad()
    }
}
