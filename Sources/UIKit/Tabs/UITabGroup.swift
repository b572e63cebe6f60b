/// A tab that contains tabs. A sidebar shows them; where there is none, the group is a
/// destination itself.
@preconcurrency @MainActor open class UITabGroup: UITab {
    /// How a sidebar shows a group. The raw values are Apple's.
    public enum SidebarAppearance: Int, Sendable {
        /// A root group is a section, another one is inline.
        case automatic = 0
        /// Only the children, beside the group's siblings.
        case inline = 1
        /// A section of the sidebar.
        case rootSection = 2
    }

    /// A group without tabs, which may be added later.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - image: What people see; `nil` for none.
    ///   - identifier: Another one for each tab of a tab bar controller.
    ///   - viewControllerProvider: Returns the group's view controller. It is called once, when
    ///     the controller is first needed.
    public override init(
        title: String, image: UIImage?, identifier: String,
        viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        children = []
        super.init(title: title, image: image, identifier: identifier, viewControllerProvider: viewControllerProvider)
    }

    /// A group with tabs in it.
    public init(
        title: String, image: UIImage?, identifier: String, children: [UITab],
        viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        self.children = children
        super.init(title: title, image: image, identifier: identifier, viewControllerProvider: viewControllerProvider)
        adoptChildren()
    }

    /// Becomes the group of the children, which leave those that they were in.
    private func adoptChildren() {
        var around: Set<ObjectIdentifier> = []
        for group in sequence(first: self, next: { $0.parent }) {
            around.insert(ObjectIdentifier(group))
            group.known = nil
        }
        var formers: [ObjectIdentifier: UITabGroup] = [:]
        for child in children {
            guard !around.contains(ObjectIdentifier(child)) else {
                fatalError(
                    "the \(type(of: child)) \(child.identifier) cannot be a child of the \(type(of: self)) "
                        + "\(identifier) within it")
            }
            if let former = child.parent, former !== self { formers[ObjectIdentifier(former)] = former }
            child.parent = self
        }
        for former in formers.values { former.children = former.children.filter { $0.parent === former } }
    }

    /// The tabs in the group. One that was in another group leaves that. The identifiers of a
    /// tab bar controller's tabs differ; two that are equal stop the program, as does a group that
    /// contains this one, or this one itself.
    open var children: [UITab] {
        didSet {
            let kept = Set(children.map(ObjectIdentifier.init))
            for child in oldValue where child.parent === self && !kept.contains(ObjectIdentifier(child)) {
                child.parent = nil
            }
            adoptChildren()
            tabBarController?.tabsDidChange()
        }
    }

    /// The child that was selected last, or that the app chose; `nil` before. Setting it
    /// while the group is selected, or a tab within it, selects the child.
    open var selectedChild: UITab? {
        get { lastSelected.flatMap { $0.parent === self ? $0 : nil } }
        set {
            guard newValue !== selectedChild else { return }
            if let newValue, newValue.parent !== self {
                fatalError(
                    "the \(type(of: newValue)) \(newValue.identifier) is not a child of the \(type(of: self)) "
                        + identifier)
            }
            lastSelected = newValue
            if let newValue { tabBarController?.selectedChildDidChange(newValue, of: self) }
        }
    }

    private weak var lastSelected: UITab?

    /// Notes the child on the way to the selection.
    func noteSelected(_ child: UITab) { lastSelected = child }

    /// The child to select while `selectedChild` is `nil`; `nil` for the first.
    open var defaultChildIdentifier: String?

    /// The order in which the sidebar shows the children. Children that it does not have
    /// follow; other identifiers are ignored.
    open var displayOrderIdentifiers: [String] = []

    /// The children as the sidebar shows them.
    public var displayOrder: [UITab] {
        let named = Dictionary(children.map { ($0.identifier, $0) }) { first, _ in first }
        let ordered = displayOrderIdentifiers.compactMap { named[$0] }
        let known = Set(ordered.map(ObjectIdentifier.init))
        var seen = Set<ObjectIdentifier>()
        return ordered.filter { seen.insert(ObjectIdentifier($0)).inserted }
            + children.filter { !known.contains(ObjectIdentifier($0)) }
    }

    /// Whether people may change the order of the children.
    open var allowsReordering = false
    /// How a sidebar shows the group.
    open var sidebarAppearance = SidebarAppearance.automatic
    /// What a sidebar offers at the end of the group, for the app's own use: nothing is
    /// drawn.
    open var sidebarActions: [UIAction] = []

    /// Shows the controllers of the selected tab and of the groups around it, up to this
    /// one, as a stack; `nil`, and only the root tab's controller is shown. Of nested
    /// groups that have one, the outermost counts.
    open var managingNavigationController: UINavigationController? {
        didSet { if managingNavigationController !== oldValue { tabBarController?.tabsDidChange() } }
    }

    /// The group or the tab within it that has this identifier; `nil` if none has.
    public func tab(forIdentifier identifier: String) -> UITab? {
        if identifier == self.identifier { return self }
        let known = known ?? Dictionary(subtree.dropFirst().map { ($0.identifier, $0) }) { first, _ in first }
        self.known = known
        return known[identifier]
    }

    /// The tabs within the group, once one was looked for; `nil` after a change.
    private var known: [String: UITab]?

    override func collect(into tabs: inout [UITab], while isWanted: (UITab) -> Bool) {
        guard isWanted(self) else { return }
        tabs.append(self)
        for child in children { child.collect(into: &tabs, while: isWanted) }
    }

    /// The tab that a person selects by way of the group where a sidebar shows its children:
    /// the child that was selected last, else the default one, else the first; within a
    /// group among these, the same. The group itself if it has no visible child.
    var destination: UITab {
        let visible = displayOrder.filter { !$0.isHidden && $0.isEnabled }
        let child =
            visible.first { $0 === selectedChild } ?? visible.first { $0.identifier == defaultChildIdentifier }
            ?? visible.first
        return (child as? UITabGroup)?.destination ?? child ?? self
    }
}
