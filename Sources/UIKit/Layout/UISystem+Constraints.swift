@_spi(Faults) internal import Settle

extension UISystem {
    /// The active constraints of the connected scenes' windows that are not applied, as only
    /// required equalities that lead from known frames to others are: inequalities, constraints
    /// of a lower priority, and those that would have to be solved together. Each is logged once.
    public var unsupportedConstraints: [NSLayoutConstraint] {
        let windows = windowScenes.flatMap(\.windows)
        var found: [NSLayoutConstraint] = []
        if Planted.unsupportedUnlisted { return [] }
        for window in windows { window.collectUnsupported(into: &found) }
        return found
    }

    /// Logs a constraint that is kept and not applied, once.
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
        if relation != .equal { return "inequalities are not supported; use an equality" }
        if priority.rawValue < UILayoutPriority.required.rawValue {
            return "a priority below required is not supported; use .required"
        }
        if status == .cycle {
            return "its items depend on each other in a cycle; relate one of them to a known frame"
        }
        return nil
    }
}

extension UIView {
    fileprivate func collectUnsupported(into found: inout [NSLayoutConstraint]) {
        for constraint in constraintState?.held ?? [] where constraint.reasonIfUnsupported != nil {
            found.append(constraint)
        }
        for view in storedSubviews { view.collectUnsupported(into: &found) }
    }
}
