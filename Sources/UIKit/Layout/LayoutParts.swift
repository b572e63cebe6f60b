/// The constraints of a root, in parts that have no view in common whose frame they decide, so that a
/// change makes the plan of one part again.
@MainActor struct LayoutParts {
    /// What one plan computes.
    struct Part {
        /// In the order of their activation.
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
        let isOwnGuide = item is UILayoutGuide && !(item is RegionGuide)
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
        let leaders = self.leaders()
        func leader(_ key: ObjectIdentifier) -> ObjectIdentifier {
            var key = key
            while let next = leaders[key], next != key { key = next }
            return key
        }
        for constraint in constraints {
            // One that decides nothing is a part of its own.
            let key = leader(keys(of: constraint).first ?? ObjectIdentifier(constraint))
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

    /// What leads from one key of a part to another one.
    private func leaders() -> [ObjectIdentifier: ObjectIdentifier] {
        var leaders: [ObjectIdentifier: ObjectIdentifier] = [:]
        func leader(_ key: ObjectIdentifier) -> ObjectIdentifier {
            var key = key
            while let next = leaders[key], next != key {
                leaders[key] = leaders[next]
                key = next
            }
            return key
        }
        for constraint in constraints {
            let keys = keys(of: constraint).map(leader)
            guard let first = keys.first else { continue }
            for key in keys { leaders[key] = first }
        }
        return leaders
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
        guard let guide = item as? UILayoutGuide, !(guide is RegionGuide) else { return nil }
        return (ObjectIdentifier(guide), guide.partOfTop?.plan)
    }
}
