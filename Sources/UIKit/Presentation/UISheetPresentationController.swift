/// Manages a sheet: how high it is in compact width. Elsewhere a sheet is in the middle of the window,
/// and detents change nothing. Its values are kept with what is presented, also before that.
@preconcurrency @MainActor open class UISheetPresentationController: UIPresentationController {
    /// The heights that the sheet can have: the large one by default. An empty list counts as that.
    open var detents: [Detent] {
        get { links.sheet?.detents ?? [.large()] }
        set { change { $0.detents = newValue } }
    }

    /// The height that the sheet has; `nil`, or one that is not among `detents`, for the smallest.
    open var selectedDetentIdentifier: Detent.Identifier? {
        get { links.sheet?.selected }
        set { change { $0.selected = newValue } }
    }

    /// The highest detent that does not dim what is below. Nothing is drawn.
    open var largestUndimmedDetentIdentifier: Detent.Identifier? {
        get { links.sheet?.largestUndimmed }
        set { change { $0.largestUndimmed = newValue } }
    }

    /// Whether the sheet is one also in compact height, at the window's lower edge. Elsewhere it fills the
    /// window there. False by default.
    open var prefersEdgeAttachedInCompactHeight: Bool {
        get { links.sheet?.isEdgeAttachedInCompactHeight ?? false }
        set { change { $0.isEdgeAttachedInCompactHeight = newValue } }
    }

    /// Whether the sheet has a grabber. Nothing is drawn.
    open var prefersGrabberVisible: Bool {
        get { links.sheet?.hasGrabber ?? false }
        set { change { $0.hasGrabber = newValue } }
    }

    /// Runs the closure as one change. There are no animations.
    open func animateChanges(_ changes: () -> Void) { presentedViewController.turn(changes) }

    /// Asks the closures of custom detents again.
    open func invalidateDetents() { change { _ in } }

    private var links: ControllerLinks { presentedViewController.links }

    private func change(_ body: (inout SheetDetents) -> Void) {
        var sheet = links.sheet ?? SheetDetents()
        body(&sheet)
        links.sheet = sheet
        links.presenting?.preferredSizeDidChange()
    }

    /// A height of a sheet.
    @preconcurrency @MainActor open class Detent: NSObject {
        /// Names a detent.
        public struct Identifier: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            /// An identifier of that name.
            public init(rawValue: String) { self.rawValue = rawValue }
            /// An identifier of that name.
            public init(_ rawValue: String) { self.rawValue = rawValue }

            /// About half of the window's height.
            public static let medium = Identifier("com.apple.UIKit.medium")
            /// The largest height.
            public static let large = Identifier("com.apple.UIKit.large")
        }

        /// The detent's name.
        public let identifier: Identifier
        private let resolver: (any UISheetPresentationControllerDetentResolutionContext) -> CGFloat?

        private init(
            _ identifier: Identifier,
            _ resolver: @escaping (any UISheetPresentationControllerDetentResolutionContext) -> CGFloat?
        ) {
            self.identifier = identifier
            self.resolver = resolver
            super.init()
        }

        /// Half of the largest height; none where the height is compact.
        public class func medium() -> Detent {
            Detent(.medium) {
                $0.containerTraitCollection.verticalSizeClass == .compact ? nil : $0.maximumDetentValue / 2
            }
        }

        /// The largest height.
        public class func large() -> Detent { Detent(.large) { $0.maximumDetentValue } }

        /// A height of the app's.
        ///
        /// - Parameters:
        ///   - identifier: Its name; `nil` for one of its own.
        ///   - resolver: Returns the height, in points, which counts as at most the largest; `nil` where
        ///     the sheet cannot have it.
        public class func custom(
            identifier: Identifier? = nil,
            resolver: @escaping (any UISheetPresentationControllerDetentResolutionContext) -> CGFloat?
        ) -> Detent { Detent(identifier ?? Identifier(UUID().uuidString), resolver) }

        /// The height, in points; `nil` where the sheet cannot have it.
        open func resolvedValue(in context: any UISheetPresentationControllerDetentResolutionContext) -> CGFloat? {
            guard let value = resolver(context), value.isFinite else { return nil }
            return max(0, min(value, context.maximumDetentValue))
        }
    }
}

/// What the height of a detent depends on.
@preconcurrency @MainActor public protocol UISheetPresentationControllerDetentResolutionContext: NSObjectProtocol {
    /// The traits of what presents the sheet.
    var containerTraitCollection: UITraitCollection { get }
    /// The largest height, in points.
    var maximumDetentValue: CGFloat { get }
}

/// What was set for a view controller's sheet.
@MainActor struct SheetDetents {
    var detents: [UISheetPresentationController.Detent] = [.large()]
    var selected: UISheetPresentationController.Detent.Identifier?
    var largestUndimmed: UISheetPresentationController.Detent.Identifier?
    var hasGrabber = false
    var isEdgeAttachedInCompactHeight = false

    private final class Context: NSObject, UISheetPresentationControllerDetentResolutionContext {
        let containerTraitCollection: UITraitCollection
        let maximumDetentValue: CGFloat

        init(_ traits: UITraitCollection, _ maximum: CGFloat) {
            containerTraitCollection = traits
            maximumDetentValue = maximum
            super.init()
        }
    }

    /// The height of the sheet, in points, rounded.
    func height(atMost maximum: CGFloat, _ traits: UITraitCollection) -> CGFloat {
        let context = Context(traits, maximum)
        if let chosen = detents.first(where: { $0.identifier == selected })?.resolvedValue(in: context) {
            return chosen.rounded()
        }
        return (detents.compactMap { $0.resolvedValue(in: context) }.min() ?? maximum).rounded()
    }
}
