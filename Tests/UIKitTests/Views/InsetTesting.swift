import UIKit

/// A view that records the changes of its insets in `DelegateCalls`.
class InsetView: UIView {
    let name: String

    init(_ name: String, _ frame: CGRect = .zero) {
        self.name = name
        super.init(frame: frame)
    }

    required init?(coder: NSCoder) { nil }

    override func safeAreaInsetsDidChange() { DelegateCalls.all.append("\(name) safe area") }
    override func layoutMarginsDidChange() { DelegateCalls.all.append("\(name) margins") }
}

/// A view controller with such a view.
class InsetController: LoggingController {
    override func loadView() { view = InsetView(name) }
    override func viewSafeAreaInsetsDidChange() { record("controller safe area") }
    override func viewLayoutMarginsDidChange() { record("controller margins") }
}

extension TestApp {
    /// Makes a change outside of any turn, and has a turn that lays it out.
    func turn(_ change: () throws -> Void) rethrows {
        try change()
        turn()
    }
    func turn() { system.advance(by: .zero) }
}
