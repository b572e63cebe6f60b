import UIKit

/// The interface of one window: mailboxes, the messages of one of them, a message and its details
/// side by side. A narrow window shows them as one stack with the message on top, a phone shows
/// tabs instead.
@MainActor final class MailInterface: UISplitViewControllerDelegate {
    let splitViewController = UISplitViewController(style: .tripleColumn)
    private let mailboxes = MailboxesViewController()
    private let list = MessageListViewController()
    private let message = MessageViewController()
    private let details = DetailsViewController()
    private let tabs = PhoneTabBarController(mailbox: .inbox)

    init() {
        let split = splitViewController
        split.delegate = self
        split.preferredPrimaryColumnWidth = 260
        split.preferredSupplementaryColumnWidth = 340
        split.setViewController(mailboxes, for: .primary)
        split.setViewController(list, for: .supplementary)
        split.setViewController(message, for: .secondary)
        split.setViewController(details, for: .inspector)
        split.setViewController(tabs, for: .compact)
        choose(.inbox)
        message.message = list.mailbox.messages.first
        details.message = message.message
    }

    /// Performs the command of a URL: `mail://mailbox/NAME` or `mail://message/NUMBER`.
    func open(_ url: URL) {
        let name = url.lastPathComponent
        switch (url.scheme, url.host) {
        case ("mail", "mailbox"):
            guard let mailbox = Mailbox.all.first(where: { $0.name == name }) else { break }
            say("lists \(mailbox.title)")
            return choose(mailbox)
        case ("mail", "message"):
            guard let found = Message.all.first(where: { "\($0.number)" == name }) else { break }
            say("opens \(found.subject), of \(found.sender)")
            return read(found)
        default: break
        }
        say("cannot open \(url)")
    }

    private func choose(_ mailbox: Mailbox) {
        list.mailbox = mailbox
        mailboxes.chosen = mailbox
        tabs.choose(mailbox)
        splitViewController.show(.supplementary)
    }

    private func read(_ opened: Message) {
        message.message = opened
        details.message = opened
        tabs.read(opened)
        // It is visible already, unless columns are stacked.
        splitViewController.show(.secondary)
    }

    // MARK: The columns

    /// The proposed column on a phone is the compact one, with the tabs.
    func splitViewController(
        _ svc: UISplitViewController,
        topColumnForCollapsingToProposedTopColumn proposedTopColumn: UISplitViewController.Column
    ) -> UISplitViewController.Column {
        svc.traitCollection.userInterfaceIdiom == .phone ? proposedTopColumn : .secondary
    }

    func splitViewControllerDidCollapse(_ svc: UISplitViewController) {
        say(svc.viewControllers.first is UITabBarController ? "shows tabs" : "stacks the columns")
    }

    func splitViewControllerDidExpand(_ svc: UISplitViewController) { say("shows columns") }

    func splitViewController(_ svc: UISplitViewController, didShow column: UISplitViewController.Column) {
        say("shows its \(column) column")
    }

    func splitViewController(_ svc: UISplitViewController, didHide column: UISplitViewController.Column) {
        say("hides its \(column) column")
    }
}
