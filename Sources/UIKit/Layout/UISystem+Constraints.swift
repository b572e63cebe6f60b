internal import Settle

extension UISystem {
    /// The active constraints of the connected scenes' windows that are not applied, as too many of them
    /// would have to be solved together. Those of one such row are logged together, once.
    public var unsupportedConstraints: [NSLayoutConstraint] {
        let windows = windowScenes.flatMap(\.windows)
        var found: [NSLayoutConstraint] = []
        for window in windows { window.collectUnsupported(into: &found) }
        return found
    }

    /// Logs the constraints that had to be solved together, in one message, with the classes of their views.
    func logUnsupported(_ constraints: [NSLayoutConstraint]) {
        let news = constraints.filter { !$0.isLogged }
        guard let first = news.first else { return }
        var names: [String] = []
        for constraint in news {
            constraint.isLogged = true
            for item in [constraint.firstItem, constraint.secondItem] {
                guard let item, case let name = "\(type(of: item))", !names.contains(name) else { continue }
                names.append(name)
            }
        }
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
        let constraints = news.count == 1 ? "A constraint is" : "\(news.count) constraints are"
        log(
            "\(constraints) not applied, of \(shown), such as \(first.text): "
                + "\(NSLayoutConstraint.reasonIfNotSolved).")
    }
}

extension NSLayoutConstraint {
    /// Why the constraint is not applied; `nil` if it is, or conflicts with others.
    var reasonIfUnsupported: String? {
        status == .notSolved ? Self.reasonIfNotSolved : nil
    }

    fileprivate static let reasonIfNotSolved =
        "too many constraints have to be solved together; fix the size of some views with required equalities"
}

extension UIView {
    fileprivate func collectUnsupported(into found: inout [NSLayoutConstraint]) {
        for constraint in constraints where constraint.reasonIfUnsupported != nil {
            found.append(constraint)
        }
        for view in storedSubviews { view.collectUnsupported(into: &found) }
    }
}
