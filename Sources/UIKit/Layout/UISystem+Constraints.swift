internal import Settle

extension UISystem {
    /// The active constraints of the connected scenes' windows that are not applied, as too many of them
    /// would have to be solved together. Each is logged once.
    public var unsupportedConstraints: [NSLayoutConstraint] {
        let windows = windowScenes.flatMap(\.windows)
        var found: [NSLayoutConstraint] = []
        for window in windows { window.collectUnsupported(into: &found) }
        return found
    }

    func logUnsupported(_ constraint: NSLayoutConstraint) {
        guard !constraint.isLogged else { return }
        constraint.isLogged = true
        let reason = constraint.reasonIfUnsupported ?? "it is not supported"
        log("The constraint \(constraint.text) is not applied: \(reason).")
    }
}

extension NSLayoutConstraint {
    /// Why the constraint is not applied; `nil` if it is, or conflicts with others.
    var reasonIfUnsupported: String? {
        guard status == .notSolved else { return nil }
        return "too many constraints have to be solved together with it; fix the size of some views with required "
            + "equalities"
    }
}

extension UIView {
    fileprivate func collectUnsupported(into found: inout [NSLayoutConstraint]) {
        for constraint in constraints where constraint.reasonIfUnsupported != nil {
            found.append(constraint)
        }
        for view in storedSubviews { view.collectUnsupported(into: &found) }
    }
}
