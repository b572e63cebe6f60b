/// What a cell shows, as a value that makes and updates the view of it.
@preconcurrency @MainActor public protocol UIContentConfiguration {
    /// A new view of the content.
    func makeContentView() -> UIView & UIContentView

    /// The content for another state.
    func updated(for state: any UIConfigurationState) -> Self
}

/// A view that a content configuration makes and updates.
@preconcurrency @MainActor public protocol UIContentView: NSObjectProtocol {
    /// What the view shows.
    var configuration: any UIContentConfiguration { get set }

    /// Whether the view can show a configuration. The default is that it can show one of its
    /// present configuration's type.
    func supports(_ configuration: any UIContentConfiguration) -> Bool
}

extension UIContentView {
    public func supports(_ configuration: any UIContentConfiguration) -> Bool {
        type(of: self.configuration) == type(of: configuration)
    }
}

/// The content of a list's cell: two texts and an image. Nothing is drawn.
@preconcurrency @MainActor public struct UIListContentConfiguration: UIContentConfiguration {
    /// The first text.
    public var text: String?
    public var secondaryText: String?
    public var image: UIImage?

    private init() {}

    /// The content of a plain cell.
    public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
    /// The content of a cell with a subtitle.
    public static func subtitleCell() -> UIListContentConfiguration { UIListContentConfiguration() }
    /// The content of a cell with a value.
    public static func valueCell() -> UIListContentConfiguration { UIListContentConfiguration() }

    /// A `UIListContentView`.
    public func makeContentView() -> UIView & UIContentView { UIListContentView(configuration: self) }

    /// The same content: its look does not depend on the state, as nothing is drawn.
    public func updated(for state: any UIConfigurationState) -> UIListContentConfiguration { self }
}

/// The view of a `UIListContentConfiguration`.
@preconcurrency @MainActor open class UIListContentView: UIView, UIContentView {
    /// What the view shows: a `UIListContentConfiguration`.
    open var configuration: any UIContentConfiguration

    /// A view that shows the configuration.
    public init(configuration: UIListContentConfiguration) {
        self.configuration = configuration
        super.init(frame: .zero)
    }

    /// There is nothing to decode on Linux.
    public required init?(coder: NSCoder) { nil }
}
