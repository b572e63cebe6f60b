/// The bar of a tab bar controller, which sets its items and frame. Nothing is drawn.
@preconcurrency @MainActor open class UITabBar: UIView {
    /// What the bar shows, the leading one first: a tab bar controller's tabs and, if not
    /// all have space, *More*.
    open var items: [UITabBarItem]?
    /// The item of the selected tab; `nil` if it has no item.
    open weak var selectedItem: UITabBarItem?
}

/// What a bar shows for a tab.
@preconcurrency @MainActor open class UITabBarItem: UIBarItem {
    /// Shown at the item; `nil` for none.
    open var badgeValue: String?

    /// What people see while the tab is selected; `nil` for `image`.
    open var selectedImage: UIImage?

    /// An item with neither title nor image.
    public override init() { super.init() }

    /// An item of a bar.
    ///
    /// - Parameters:
    ///   - title: What people read; `nil` for nothing.
    ///   - image: What people see; `nil` for none.
    ///   - tag: A number for the app's own use.
    public convenience init(title: String?, image: UIImage?, tag: Int) {
        self.init()
        self.title = title
        self.image = image
        self.tag = tag
    }

    /// An item of a bar, with another image while it is selected.
    ///
    /// - Parameters:
    ///   - title: What people read; `nil` for nothing.
    ///   - image: What people see; `nil` for none.
    ///   - selectedImage: What people see while the tab is selected; `nil` for `image`.
    public convenience init(title: String?, image: UIImage?, selectedImage: UIImage?) {
        self.init()
        self.title = title
        self.image = image
        self.selectedImage = selectedImage
    }
}
