/// What a view's content means for its direction. The raw values are Apple's.
public enum UISemanticContentAttribute: Int, Sendable {
    /// Mirrored in languages that are written from right to left.
    case unspecified = 0
    /// Controls of a player, which are not mirrored.
    case playback = 1
    /// Directions in space, which are not mirrored.
    case spatial = 2
    /// Always from left to right.
    case forceLeftToRight = 3
    /// Always from right to left.
    case forceRightToLeft = 4
}

/// The direction in which an interface is laid out. The raw values are Apple's.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
    /// The leading side is left.
    case leftToRight = 0
    /// The leading side is right.
    case rightToLeft = 1
}

extension UIView {
    /// The direction in which the view's content is laid out: what `semanticContentAttribute`
    /// forces, else that of the traits.
    public var effectiveUserInterfaceLayoutDirection: UIUserInterfaceLayoutDirection {
        guard semanticContentAttribute == .unspecified else {
            return UIView.userInterfaceLayoutDirection(for: semanticContentAttribute)
        }
        // What the last update of traits set, as each layout reads it.
        let direction = (traits.updated ?? presentTraits).layoutDirection
        return direction == .rightToLeft ? .rightToLeft : .leftToRight
    }

    /// The direction of content with that attribute where nothing else says one.
    public class func userInterfaceLayoutDirection(
        for attribute: UISemanticContentAttribute
    ) -> UIUserInterfaceLayoutDirection {
        switch attribute {
        case .unspecified: UISystem.current?.platform.layoutDirection == .rightToLeft ? .rightToLeft : .leftToRight
        case .forceRightToLeft: .rightToLeft
        case .playback, .spatial, .forceLeftToRight: .leftToRight
        }
    }
}
