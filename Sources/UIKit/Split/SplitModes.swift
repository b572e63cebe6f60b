/// Which display modes belong to which behaviour.
extension UISplitViewController.SplitBehavior {
    typealias DisplayMode = UISplitViewController.DisplayMode

    /// The mode of this behaviour with that many columns besides the secondary one, 0 to 2. Each
    /// behaviour has three: automatic counts as `tile`.
    func mode(columns: Int) -> DisplayMode {
        switch (self, columns) {
        case (_, ...0): .secondaryOnly
        case (.overlay, 1): .oneOverSecondary
        case (_, 1): .oneBesideSecondary
        case (.overlay, _): .twoOverSecondary
        case (.displace, _): .twoDisplaceSecondary
        case (.automatic, _), (.tile, _): .twoBesideSecondary
        }
    }

    /// The behaviour to use: the preferred one or, if that is automatic, the one that alone
    /// has the preferred mode, else `tile`.
    static func resolved(_ preferred: Self, for mode: DisplayMode) -> Self {
        guard preferred == .automatic else { return preferred }
        switch mode {
        case .oneOverSecondary, .twoOverSecondary: return .overlay
        case .twoDisplaceSecondary: return .displace
        case .automatic, .secondaryOnly, .oneBesideSecondary, .twoBesideSecondary: return .tile
        }
    }

    /// How many columns the automatic mode asks for: all of those beside the secondary one, and
    /// none that would cover or move it.
    func automaticColumns(most: Int) -> Int {
        switch self {
        case .automatic, .tile: most
        case .overlay: 0
        case .displace: min(1, most)
        }
    }
}

extension UISplitViewController.DisplayMode {
    /// The number of columns besides the secondary one; `nil` if the mode is automatic.
    var columns: Int? {
        switch self {
        case .automatic: nil
        case .secondaryOnly: 0
        case .oneBesideSecondary, .oneOverSecondary: 1
        case .twoBesideSecondary, .twoOverSecondary, .twoDisplaceSecondary: 2
        }
    }
}

extension UISplitViewController.Style {
    /// The largest number of columns besides the secondary one and the inspector.
    var columnsMax: Int { self == .tripleColumn ? 2 : 1 }

    /// The columns of a mode with that many, the leading one first: the last one stays longest.
    func shows(_ column: UISplitViewController.Column, columns: Int) -> Bool {
        switch column {
        case .primary: columns >= columnsMax
        case .supplementary: self == .tripleColumn && columns >= 1
        case .secondary: true
        case .compact, .inspector: false
        }
    }
}
