internal import Settle

/// The stack of a group's managing navigation controller for a selected tab.
///
/// From the managing group down to the selected tab, each tab proposes its view controller
/// if it has one; the selected one proposes what was pushed on top of it as well. What the
/// delegate makes of the proposals, one after the other, is the stack.
@MainActor struct TabStack {
    /// A tab, and what the delegate returned for it.
    struct Part {
        let tab: UITab
        let controllers: [UIViewController]
    }

    /// From the managing group to the selected tab.
    private(set) var parts: [Part] = []
    /// No part has a controller, and the selected tab's own stands in.
    private(set) var isSubstitute = false
    /// What the app pushed and is part of the stack again.
    private var pushed: Set<ObjectIdentifier> = []

    /// - Parameters:
    ///   - group: The managing group.
    ///   - selected: That group, or a tab within it.
    ///   - pushed: What the app pushed on top of the selected tab's controllers.
    ///   - displayed: Returns the controllers to display for a tab, of those proposed. It is
    ///     called once per tab.
    init(
        _ group: UITabGroup, selected: UITab, pushed: [UIViewController],
        displayed: (UITab, [UIViewController]) -> [UIViewController]
    ) {
        var known = Set<ObjectIdentifier>()
        for tab in Self.path(from: group, to: selected) {
            let own = tab.viewController
            var proposed = own.map { [$0] } ?? []
            if tab === selected { proposed += pushed.filter { $0 !== own } }
            // A stack has each controller once.
            let controllers = displayed(tab, proposed).filter { known.insert(ObjectIdentifier($0)).inserted }
            parts.append(Part(tab: tab, controllers: controllers))
        }
        self.pushed = Set(pushed.map(ObjectIdentifier.init)).intersection(known)
        guard known.isEmpty, let own = selected.viewController else { return }
        isSubstitute = true
        parts[parts.count - 1] = Part(tab: selected, controllers: [own])
    }

    var controllers: [UIViewController] { parts.flatMap(\.controllers) }

    /// What the app pushed on top of this stack and is still there: the controllers above
    /// the topmost of the tabs' own, or none once that one was removed.
    func pushed(in stack: [UIViewController]) -> [UIViewController] {
        guard let top = parts.last(where: { !own($0).isEmpty }) else { return stack }
        return pushed(above: top, in: stack)
    }

    /// The deepest tab whose own controllers are all on a stack, and what is above them: the
    /// selected tab, unless its own were popped. `nil` if there is none.
    func remaining(in stack: [UIViewController]) -> (tab: UITab, pushed: [UIViewController])? {
        let filled = parts.filter { !own($0).isEmpty }
        let kept = filled.prefix { part in own(part).allSatisfy { controller in stack.contains { $0 === controller } } }
        return kept.last.map { ($0.tab, pushed(above: $0, in: stack)) }
    }

    private func own(_ part: Part) -> [UIViewController] {
        part.controllers.filter { !pushed.contains(ObjectIdentifier($0)) }
    }

    private func pushed(above part: Part, in stack: [UIViewController]) -> [UIViewController] {
        guard let index = stack.firstIndex(where: { $0 === own(part).last }) else { return [] }
        return Array(stack[(index + 1)...])
    }

    /// The tabs from a group down to one within it; the group alone if the tab is not in it.
    static func path(from group: UITabGroup, to tab: UITab) -> [UITab] {
        var path: [UITab] = []
        var next: UITab? = tab
        while let tab = next {
            path.insert(tab, at: 0)
            if tab === group { return path }
            next = tab.parent
        }
        return [group]
    }
}
