/// The constraints of a root, in parts that have no view in common whose frame they decide, so that a
/// change makes the plan of one part again.
@MainActor struct LayoutParts {
    struct Part {
        var constraints: [NSLayoutConstraint] = []
        /// The layout guides to which they refer.
        var guides: [UILayoutGuide] = []
        /// The views on the ways from the root to their items, by the view around them.
        var ways: [ObjectIdentifier: [UIView]] = [:]
        fileprivate var found: Set<ObjectIdentifier> = []
    }

    let root: UIView
    /// Whether the root's own size is asked for: then nothing outside of it counts.
    let isFitting: Bool
    private(set) var constraints: [NSLayoutConstraint] = []
    /// Other roots whose constraints are included, as both decide a view's frame.
    private(set) var merged: [UIView] = []

    init(root: UIView, isFitting: Bool = false) {
        self.root = root
        self.isFitting = isFitting
    }

    // MARK: Collecting

    /// Collects the constraints of the root and of the views within it whose frames constraints
    /// decide; also those of a root between, if both decide a view's frame.
    mutating func collectAll() {
        var waiting = [root]
        while let view = waiting.popLast() {
            var held: [NSLayoutConstraint] = []
            view.collectHeld(into: &held)
            constraints += held
            if isFitting { continue }
            for constraint in held {
                for (item, owner) in items(of: constraint) {
                    for view in rootsBetween(item, owner) where !merged.contains(where: { $0 === view }) {
                        merged.append(view)
                        waiting.append(view)
                    }
                }
            }
        }
        sort()
    }

    /// Takes some constraints of the root.
    ///
    /// - Returns: False if constraints of other roots would have to be included, so all are to be collected.
    mutating func collect(_ some: [NSLayoutConstraint]) -> Bool {
        for constraint in some where constraint.holder?.constraintRoot === root {
            for (item, owner) in items(of: constraint) where !rootsBetween(item, owner).isEmpty { return false }
            constraints.append(constraint)
        }
        sort()
        return true
    }

    /// An order that does not depend on the tree's history.
    private mutating func sort() { constraints.sort { $0.activation < $1.activation } }

    private func items(of constraint: NSLayoutConstraint) -> [(item: AnyObject, owner: UIView)] {
        [constraint.resolvedFirst.item, constraint.resolvedSecond.item].compactMap { item in
            guard let item, let owner = NSLayoutConstraint.view(of: item) else { return nil }
            return (item, owner)
        }
    }

    /// The roots on the way to an item whose frame constraints decide: theirs may decide it as well.
    private func rootsBetween(_ item: AnyObject, _ owner: UIView) -> [UIView] {
        let isOwnGuide = (item as? UILayoutGuide).map { $0.region == nil } ?? false
        guard !owner.translatesAutoresizingMaskIntoConstraints || isOwnGuide else { return [] }
        var found: [UIView] = []
        var view = owner
        while view !== root, let above = view.superview {
            if view.translatesAutoresizingMaskIntoConstraints, view !== owner || isOwnGuide { found.append(view) }
            view = above
        }
        return found
    }

    // MARK: Parts

    func parts() -> [Part] {
        var parts: [Part] = []
        var numbers: [ObjectIdentifier: Int] = [:]
        var leaders = Leaders<ObjectIdentifier>()
        for constraint in constraints { leaders.join(keys(of: constraint)) }
        for constraint in constraints {
            // One that decides nothing is a part of its own.
            let key = leaders.leader(of: keys(of: constraint).first ?? ObjectIdentifier(constraint))
            let number = numbers[key] ?? parts.count
            numbers[key] = number
            if number == parts.count { parts.append(Part()) }
            add(constraint, to: &parts[number])
        }
        let ranks = ranks(of: parts)
        for number in parts.indices {
            for (view, subviews) in parts[number].ways where subviews.count > 1 {
                parts[number].ways[view] = subviews.sorted {
                    ranks[ObjectIdentifier($0), default: 0] < ranks[ObjectIdentifier($1), default: 0]
                }
            }
        }
        return parts
    }

    /// The views and guides that constraints decide and that lie directly in the root, one for each item.
    private func keys(of constraint: NSLayoutConstraint) -> [ObjectIdentifier] {
        // Roots that are merged have one plan.
        if !merged.isEmpty || isFitting { return [ObjectIdentifier(root)] }
        return items(of: constraint).compactMap { root.part(of: $0.item)?.key }
    }

    private func add(_ constraint: NSLayoutConstraint, to part: inout Part) {
        part.constraints.append(constraint)
        for (item, owner) in items(of: constraint) {
            if let guide = item as? UILayoutGuide, part.found.insert(ObjectIdentifier(guide)).inserted {
                part.guides.append(guide)
            }
            var view = owner
            while view !== root, let above = view.superview, part.found.insert(ObjectIdentifier(view)).inserted {
                part.ways[ObjectIdentifier(above), default: []].append(view)
                view = above
            }
        }
    }

    /// The places among their siblings of views on the ways, as far as those have siblings on them.
    private func ranks(of parts: [Part]) -> [ObjectIdentifier: Int] {
        var parents: [ObjectIdentifier: UIView] = [:]
        for part in parts {
            for (parent, subviews) in part.ways where subviews.count > 1 { parents[parent] = subviews[0].superview }
        }
        var ranks: [ObjectIdentifier: Int] = [:]
        for parent in parents.values {
            for (index, view) in parent.storedSubviews.enumerated() { ranks[ObjectIdentifier(view)] = index }
        }
        return ranks
    }
}

/// What belongs together: each joined key leads to another one of its set, the last to itself.
struct Leaders<Key: Hashable & Comparable> {
    private var next: [Key: Key] = [:]

    /// What was joined, be it to itself.
    var keys: Dictionary<Key, Key>.Keys { next.keys }

    func contains(_ key: Key) -> Bool { next[key] != nil }

    /// The least of those that the key is joined with. Each walk halves the way of those that follow.
    mutating func leader(of key: Key) -> Key {
        var key = key
        while let above = next[key], above != key {
            next[key] = next[above]
            key = above
        }
        return key
    }

    mutating func join(_ keys: some Sequence<Key>) {
        let leaders = keys.map { leader(of: $0) }
        guard let least = leaders.min() else { return }
        for leader in leaders { next[leader] = least }
    }
}

extension UIView {
    fileprivate func collectHeld(into held: inout [NSLayoutConstraint]) {
        if let state = constraintState { held += state.held.values }
        for subview in storedSubviews where !subview.translatesAutoresizingMaskIntoConstraints {
            subview.collectHeld(into: &held)
        }
    }

    /// The constraints that the view and those within it hold, as far as they have one root.
    final var constraintsWithin: [NSLayoutConstraint] {
        var held: [NSLayoutConstraint] = []
        collectHeld(into: &held)
        return held
    }

    /// The outermost view or guide in this root around an item, or the item, whose frame constraints decide,
    /// and the plan that computes it. What lies in the same one is in the same part.
    final func part(of item: AnyObject) -> (key: ObjectIdentifier, plan: LayoutPlan?)? {
        guard let owner = NSLayoutConstraint.view(of: item) else { return nil }
        var top: UIView?
        var view = owner
        while view !== self, let above = view.superview {
            if !view.translatesAutoresizingMaskIntoConstraints { top = view }
            view = above
        }
        if let top { return (ObjectIdentifier(top), top.constraintState?.partOfTop?.plan) }
        guard let guide = item as? UILayoutGuide, guide.region == nil else { return nil }
        return (ObjectIdentifier(guide), guide.partOfTop?.plan)
    }
}
