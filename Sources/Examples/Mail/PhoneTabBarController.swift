import UIKit

/// The interface on a phone: tabs for the mail, a list of all messages, and settings.
final class PhoneTabBarController: UITabBarController {
    private let list = MessageListViewController()
    private let message = MessageViewController()
    private lazy var navigation = UINavigationController(rootViewController: list)

    init(mailbox: Mailbox) {
        super.init(nibName: nil, bundle: nil)
        list.mailbox = mailbox
        tabs = [
            UITab(title: "Mail", image: UIImage(systemName: "envelope"), identifier: "mail") { [unowned self] _ in
                navigation
            },
            UITab(title: "All", image: UIImage(systemName: "tray.2"), identifier: "all") { _ in
                let all = MessageListViewController()
                all.mailbox = Mailbox(name: "all", title: "All messages", messages: Message.all)
                return UINavigationController(rootViewController: all)
            },
            UITab(title: "Settings", image: UIImage(systemName: "gear"), identifier: "settings") { _ in
                let settings = RowsViewController()
                settings.title = "Settings"
                settings.rows = ["Accounts", "Signature"]
                return UINavigationController(rootViewController: settings)
            },
        ]
    }

    required init?(coder: NSCoder) { nil }

    /// Lists a mailbox in the mail tab.
    func choose(_ mailbox: Mailbox) {
        list.mailbox = mailbox
        navigation.popToRootViewController(animated: false)
    }

    /// Shows a message above the list of the mail tab.
    func read(_ opened: Message) {
        message.message = opened
        if message.parent == nil { navigation.pushViewController(message, animated: false) }
        selectedTab = tab(forIdentifier: "mail")
    }

    /// A tab has no column of its own: the images follow this one's size.
    override func viewSizeDidSettle(_ size: CGSize) { message.viewSizeDidSettle(size) }
}
