internal import Settle

/// What a view waits for in the layout pass.
struct LayoutMarks: OptionSet, Sendable {
    let rawValue: UInt16

    static let layout = LayoutMarks(rawValue: 1)
    static let constraints = LayoutMarks(rawValue: 2)
    static let below = LayoutMarks(rawValue: 4)
    static let running = LayoutMarks(rawValue: 8)
    /// A guide of the view, or of one within it, keeps clear of the window control. It stays.
    static let adaptive = LayoutMarks(rawValue: 16)
    /// Another layout follows the one that runs, as what comes before its constraints has to be
    /// done again.
    static let again = LayoutMarks(rawValue: 32)
    /// The view was laid out in its present window: unless it or one around it waits, its insets
    /// are those that were found then.
    static let knowsInsets = LayoutMarks(rawValue: 64)

    /// The view's controller is appearing: the pass calls its `viewIsAppearing` before the layout.
    static let appearing = LayoutMarks(rawValue: 128)
    static let inWindow = LayoutMarks(rawValue: 256)
    /// The view was laid out outside of any window, where nothing covers it and those within it, or left its
    /// window as it was.
    static let outside = LayoutMarks(rawValue: 512)

    /// The marks of a view that the pass visits.
    static let waiting: LayoutMarks = [.layout, .constraints, .below, .appearing]
    /// The marks of a view that the pass lays out.
    static let own: LayoutMarks = [.layout, .constraints]
}

/// Which of a view's subviews wait for something: mostly one, which is found without a look at the others.
struct WaitingSubviews {
    private var first: Unmanaged<UIView>?
    private var hasOthers = false

    /// The one that waits; `nil` if there are others, or none.
    var only: UIView? { hasOthers ? nil : first?.takeUnretainedValue() }

    mutating func add(_ view: Unmanaged<UIView>) {
        if first == nil { first = view } else if first?.toOpaque() != view.toOpaque() { hasOthers = true }
    }

    /// The view is no subview any more.
    mutating func remove(_ view: UIView) {
        if first?.toOpaque() == Unmanaged.passUnretained(view).toOpaque() { first = nil }
    }

    mutating func take() -> WaitingSubviews {
        defer { self = WaitingSubviews() }
        return self
    }

    /// Runs a body with those that wait, and perhaps with others, in the order of the subviews.
    ///
    /// - Parameter isNews: Whether the body has made others wait, of which those that come later follow.
    @MainActor func visit(in parent: UIView, while isNews: @autoclosure () -> Bool, _ body: (UIView) -> Void) {
        guard let only else {
            if hasOthers { parent.storedSubviews.forEachBorrowed(body) }
            return
        }
        body(only)
        guard isNews(), let place = parent.storedSubviews.firstIndex(where: { $0 === only }) else { return }
        Array(parent.storedSubviews[(place + 1)...]).forEachBorrowed(body)
    }
}

/// The layout pass. Marks lead from the window to each view that waits, so that the pass
/// visits only those and the views on the way to them.
extension UIView {
    /// Marks the view and the way to it. The way that is marked already ends the walk, so the
    /// marking of all views of a window costs no more than the pass.
    final func mark(_ mark: LayoutMarks) {
        guard !marks.isSuperset(of: mark) else { return }
        marks.formUnion(mark)
        markPath()
    }

    /// Marks the view for another layout, if it is running, also before its constraints: until
    /// then the layout that runs serves each other mark.
    final func markAgain() {
        if marks.contains(.running) { marks.insert(.again) }
        mark(.layout)
    }

    final func markPath() {
        var top = Unmanaged.passUnretained(self)
        var above = parentReference
        while let next = above {
            let wasMarked = next.borrow { parent in
                above = parent.parentReference
                parent.waitingForLayout.add(top)
                if parent.marks.contains(.below) { return true }
                parent.marks.insert(.below)
                return false
            }
            if wasMarked { return }
            top = next
        }
        top.borrow { $0.topWasMarked() }
    }

    final var isMarked: Bool { !marks.isDisjoint(with: .waiting) }

    /// Lays out the view, if it is marked, and then those within it. Each view is laid out at
    /// most once; marks that are set where the pass was already stay.
    final func layOutMarked() {
        if marks.contains(.running) { return }
        if marks.contains(.appearing), !arrive() { return }
        if !marks.isDisjoint(with: .own), !layOutOnce() { return }
        guard marks.contains(.below) else { return }
        marks.remove(.below)
        waitingForLayout.take().visit(in: self, while: marks.contains(.below)) { view in
            if view.isMarked, view.isSubview(of: self) { view.layOutMarked() }
        }
    }

    /// Lays out the marked views on the way from this one down to `view`, which is not laid out
    /// itself, so that `view` has its size.
    final func layOutWay(to view: UIView) {
        guard let parent = view.parentView, isMarked else { return }
        if parent !== self { layOutWay(to: parent) }
        guard !parent.marks.isDisjoint(with: .own), !parent.marks.contains(.running) else { return }
        parent.layOutOnce()
        // A pass within that layout has gone by, and has removed the way.
        if parent.isMarked { parent.markPath() }
    }

    /// The view is where it will be: its controller is notified, with its present traits.
    ///
    /// - Returns: False if that has taken it out of the window.
    private func arrive() -> Bool {
        marks.remove(.appearing)
        // Off the screen the window may get another size first: `updateAppearance` marks it again.
        guard let window, window.isOnScreen else { return true }
        if window.needsTraitUpdate, UISystem.current?.turn.isUpdatingTraits == false {
            window.updateTraits()
        }
        controller?.arrive()
        return self.window != nil
    }

    /// - Returns: False if the view has left its window before, and waits until it is in one again.
    @discardableResult fileprivate func layOutOnce() -> Bool {
        if marks.contains(.appearing), !arrive() { return false }
        // The mark stays until the constraints: what is marked before is laid out now.
        marks.formUnion([.running, .layout])
        marks.remove(.again)
        let outer = CurrentTraits.begin(self)
        defer { CurrentTraits.end(outer) }
        willLayOut()
        guard updateInsets() else {
            marks.remove(.running)
            return false
        }
        if let controller {
            controller.viewWillLayoutSubviews()
            if marks.contains(.constraints) { controller.updateViewConstraints() }
        } else if marks.contains(.constraints) {
            updateConstraints()
        }
        // An override of `updateConstraints` may not call `super`.
        marks.remove(.constraints)
        if !marks.contains(.again) { marks.remove(.layout) }
        applyConstraints()
        layoutSubviews()
        controller?.viewDidLayoutSubviews()
        marks.remove(.running)
        markSubviewsWithOtherInsets()
        // A pass within this layout has gone by, and has removed the way.
        if !marks.isDisjoint(with: .own) { markPath() }
        return true
    }

    final func updateMarkedConstraints() {
        for view in storedSubviews where view.isMarked { view.updateMarkedConstraints() }
        if marks.contains(.constraints) { updateConstraints() }
    }

    /// `layoutIfNeeded`: begins with the topmost of the marked views that follow each other
    /// upwards from this one, as their layouts set this one's frame.
    final func layOutAtOnce() {
        let window = self.window
        if let window, window.needsTraitUpdate, UISystem.current?.turn.isUpdatingTraits == false {
            window.updateTraits()
        }
        applyConstraintsAbove()
        var top = self
        while let parent = top.parentView, parent.marks.contains(.layout), !parent.marks.contains(.running) {
            top = parent
        }
        for round in 0..<UISystem.layoutsMax {
            guard top.isMarked, !top.marks.contains(.running) else { return }
            // Each call has one layout. More count as those of the turn, whose pass does the rest.
            if round > 0, let window, !window.countsPass() { return }
            top.layOutMarked()
        }
        if top.isMarked { top.leaveMarks() }
    }

    /// Removes the marks of views that mark each other without end, and logs their classes.
    final func leaveMarks() {
        var classes: Set<String> = []
        collectMarked(into: &classes)
        // Only the way to a view that has been laid out is left.
        guard !classes.isEmpty else { return }
        UISystem.current?.logOnce(
            "Views of these classes were marked for layout again in each of \(UISystem.layoutsMax) layouts of one turn, and "
                + "stay as they are: \(classes.sorted().joined(separator: ", ")). Call setNeedsLayout in a layout only "
                + "where it changes something.")
    }

    private func collectMarked(into classes: inout Set<String>) {
        if !marks.isDisjoint(with: .own) { classes.insert("\(type(of: self))") }
        let hasMore = marks.contains(.below)
        marks.subtract(.waiting)
        _ = waitingForLayout.take()
        guard hasMore else { return }
        for view in storedSubviews { view.collectMarked(into: &classes) }
    }
}

/// What comes before the work alongside a transition: the views of all view controllers have their
/// new bounds then, while what is in them is laid out after that work.
extension UIWindow {
    final func layOutContainers() {
        if needsTraitUpdate { updateTraits() }
        var next = isOnScreen ? rootViewController : nil
        while let controller = next {
            controller.layOutContainers()
            next = controller.linksIfAny?.presented?.controller
        }
    }
}

extension UIViewController {
    /// Lays out the view, if it is marked and has those of other view controllers in it, and the
    /// views on the way to those.
    fileprivate func layOutContainers() {
        guard let view = viewIfLoaded, view.isMarked, view.window != nil, hasChildViews(in: view) else { return }
        if !view.marks.isDisjoint(with: .own), !view.marks.contains(.running) {
            view.layOutOnce()
            // A pass within that layout has gone by, and has removed the way.
            if view.isMarked { view.markPath() }
        }
        for child in children {
            guard let childView = child.viewIfLoaded, childView.isDescendant(of: view) else { continue }
            view.layOutWay(to: childView)
            child.layOutContainers()
        }
    }

    private func hasChildViews(in view: UIView) -> Bool {
        children.contains { $0.viewIfLoaded?.isDescendant(of: view) == true }
    }
}
