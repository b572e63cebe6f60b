/// How much space an interface has along one axis. The raw values are Apple's.
public enum UIUserInterfaceSizeClass: Int, Sendable {
    /// It is not known.
    case unspecified = 0
    /// Little space.
    case compact = 1
    /// Much space.
    case regular = 2
}

/// The direction of text and layout. The raw values are Apple's.
public enum UITraitEnvironmentLayoutDirection: Int, Sendable {
    /// It is not known.
    case unspecified = -1
    case leftToRight = 0
    case rightToLeft = 1
}

/// Whether an interface is light or dark. The raw values are Apple's.
public enum UIUserInterfaceStyle: Int, Sendable {
    /// It is not known.
    case unspecified = 0
    /// Dark text on a light background.
    case light = 1
    /// Light text on a dark background.
    case dark = 2
}
