internal import Settle

/// A view whose content depends on its state and traits. There is no collection view: the app
/// adds cells to its views.
@preconcurrency @MainActor open class UICollectionViewCell: UIView {
    /// Whether a person has selected the cell.
    open var isSelected = false { didSet { if isSelected != oldValue { setNeedsUpdateConfiguration() } } }
    /// Whether a person is touching the cell.
    open var isHighlighted = false { didSet { if isHighlighted != oldValue { setNeedsUpdateConfiguration() } } }

    /// Whether the cell takes touches; if not, its state is disabled.
    open override var isUserInteractionEnabled: Bool {
        didSet { if isUserInteractionEnabled != oldValue { setNeedsUpdateConfiguration() } }
    }

    /// Runs after `updateConfiguration(using:)`, for an app that has no subclass. The system
    /// asks for an update when it is set.
    open var configurationUpdateHandler: ConfigurationUpdateHandler? {
        didSet { if configurationUpdateHandler != nil { setNeedsUpdateConfiguration() } }
    }

    /// What updates a cell for a state.
    public typealias ConfigurationUpdateHandler = (UICollectionViewCell, UICellConfigurationState) -> Void

    /// Whether a new state makes the system update `contentConfiguration` by its
    /// `updated(for:)`, before `updateConfiguration(using:)`.
    open var automaticallyUpdatesContentConfiguration = true

    /// What the cell shows; `nil` for nothing. The cell gets the configuration's view, or keeps
    /// its present one if that can show it.
    open var contentConfiguration: (any UIContentConfiguration)? {
        didSet { contentConfigurationDidChange() }
    }

    /// The view that the cell's content is in. It fills the cell.
    open var contentView: UIView {
        if let shownContent { return shownContent }
        let view = UIView(frame: bounds)
        shownContent = view
        addSubview(view)
        return view
    }

    /// The configuration's view, else that of the app's own content; `nil` for none.
    private var shownContent: UIView?
    /// `updateConfiguration(using:)` is to be called, in the next layout within a window.
    private var needsConfiguration = true
    private var updatedTraits: UITraitCollection?

    /// The present state.
    open var configurationState: UICellConfigurationState {
        var state = UICellConfigurationState(traitCollection: traitCollection)
        state.isSelected = isSelected
        state.isHighlighted = isHighlighted
        state.isDisabled = !isUserInteractionEnabled
        return state
    }

    /// Makes the system call `updateConfiguration(using:)` once in this turn, before the
    /// layout; for a cell in no window, once it is in one.
    open func setNeedsUpdateConfiguration() {
        needsConfiguration = true
        markAgain()
    }

    /// Updates the cell for a state: when it is first in a window, when it was marked, and when
    /// its state or one of its traits has changed. An override calls `super`.
    open func updateConfiguration(using state: UICellConfigurationState) {}

    open override func layoutSubviews() {
        super.layoutSubviews()
        if let shownContent, shownContent.frame != bounds { shownContent.frame = bounds }
    }

    // MARK: The system's

    /// The traits of the cell were computed within a window.
    func traitsWereUpdated() {
        // An update in a layout may have come before.
        if updatedTraits !== traits.collection, updatedTraits != traits.collection {
            needsConfiguration = true
        }
        if needsConfiguration { markAgain() }
    }

    /// The layout pass comes from above, so whatever changes the cell's traits there has done so.
    override func willLayOut() {
        guard needsConfiguration, window != nil else { return }
        needsConfiguration = false
        updatedTraits = presentTraits
        let state = configurationState
        state.traitCollection.performAsCurrent {
            if automaticallyUpdatesContentConfiguration, let content = contentConfiguration {
                contentConfiguration = content.updated(for: state)
            }
            updateConfiguration(using: state)
            configurationUpdateHandler?(self, state)
        }
    }

    private func contentConfigurationDidChange() {
        if let content = contentConfiguration, let view = shownContent as? UIView & UIContentView,
            view.supports(content)
        {
            view.configuration = content
            return
        }
        shownContent?.removeFromSuperview()
        shownContent = contentConfiguration?.makeContentView()
        guard let shownContent else { return }
        shownContent.frame = bounds
        addSubview(shownContent)
    }
}

/// A cell of a list, with accessories at its edges.
@preconcurrency @MainActor open class UICollectionViewListCell: UICollectionViewCell {
    /// What the cell's edges show. Nothing is drawn.
    open var accessories: [UICellAccessory] = []

    /// How far the content is indented, in levels.
    open var indentationLevel = 0

    /// An empty configuration for the cell's content.
    open func defaultContentConfiguration() -> UIListContentConfiguration { .cell() }
}
