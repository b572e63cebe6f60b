import UIKit

final class Badge: UIView {}

/// What no app may do with constraints.
@MainActor func makeConstraintFault(_ name: String) {
    let (label, badge, guide) = (UIView(), Badge(), UILayoutGuide())
    defer { withExtendedLifetime((label, badge, guide)) {} }
    switch name {
    case "apart": badge.topAnchor.constraint(equalTo: label.topAnchor).isActive = true
    case "priority":
        let (inner, outer) = (Badge(), UIView())
        outer.addSubview(inner)
        let height = inner.topAnchor.constraint(equalTo: outer.topAnchor)
        height.isActive = true
        height.priority = .defaultLow
    case "guide": badge.topAnchor.constraint(equalTo: guide.topAnchor).isActive = true
    case "kinds":
        _ = NSLayoutConstraint(
            item: badge, attribute: .width, relatedBy: .equal, toItem: label, attribute: .left, multiplier: 1,
            constant: 0)
    case "sides": _ = badge.leadingAnchor.constraint(equalTo: label.leftAnchor)
    case "owner": badge.addLayoutGuide(label.safeAreaLayoutGuide)
    default: break
    }
    say("no fault \(name)")
}
