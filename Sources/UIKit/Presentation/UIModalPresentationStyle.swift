/// How a view controller is presented. The raw values are Apple's.
public enum UIModalPresentationStyle: Int, Sendable {
    /// As `pageSheet`.
    case automatic = -2
    /// Not presented in another way. As `fullScreen`.
    case none = -1
    /// Covers the window. What is below disappears.
    case fullScreen = 0
    /// A sheet as high as the window allows.
    case pageSheet = 1
    /// A smaller sheet in the middle, of the preferred size if there is one.
    case formSheet = 2
    /// As `fullScreen`.
    case currentContext = 3
    /// As `overFullScreen`: there are no custom presentations.
    case custom = 4
    /// Covers the window. What is below stays visible.
    case overFullScreen = 5
    /// As `overFullScreen`.
    case overCurrentContext = 6
    /// As `formSheet`: nothing is drawn that a popover could point to.
    case popover = 7
}

/// How a presentation is animated. The raw values are Apple's.
public enum UIModalTransitionStyle: Int, Sendable {
    /// Upwards.
    case coverVertical = 0
    /// By a turn.
    case flipHorizontal = 1
    /// One fades into the other.
    case crossDissolve = 2
    /// A page turns.
    case partialCurl = 3
}

extension UIModalPresentationStyle {
    /// The height that a sheet in compact width leaves at the top, in points.
    static let sheetTop: CGFloat = 10
    /// The size of a page sheet in regular width, if the window is large enough.
    static let pageSize = CGSize(width: 712, height: 964)
    static let formSize = CGSize(width: 540, height: 620)
    /// What a sheet in regular width leaves at each side of the window at least.
    static let sheetMargin: CGFloat = 20

    var coversWindow: Bool {
        switch self {
        case .fullScreen, .currentContext, .none: true
        default: false
        }
    }

    /// Whether a person can swipe the presentation away.
    var isSheet: Bool {
        switch self {
        case .automatic, .pageSheet, .formSheet, .popover: true
        default: false
        }
    }

    /// The frame of what is presented in a window, in points.
    ///
    /// - Parameter preferred: The presented controller's preferred size; zero for none.
    func frame(in bounds: CGRect, isCompact: Bool, preferred: CGSize) -> CGRect {
        guard isSheet else { return bounds }
        if isCompact {
            let top = min(Self.sheetTop, bounds.height)
            return CGRect(x: bounds.minX, y: bounds.minY + top, width: bounds.width, height: bounds.height - top)
        }
        var size = Self.pageSize
        if self == .formSheet || self == .popover {
            size = preferred.width > 0 && preferred.height > 0 ? preferred : Self.formSize
        }
        size.width = max(0, min(size.width, bounds.width - 2 * Self.sheetMargin))
        size.height = max(0, min(size.height, bounds.height - 2 * Self.sheetMargin))
        return CGRect(
            x: bounds.minX + ((bounds.width - size.width) / 2).rounded(),
            y: bounds.minY + ((bounds.height - size.height) / 2).rounded(), width: size.width, height: size.height)
    }
}
