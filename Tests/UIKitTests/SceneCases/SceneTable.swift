import Settle
import XCTest

@testable import UIKit

/// What cases read, set and call of objects, by the names that apps use: one row each.
@MainActor enum CaseTable {
    private struct Row {
        var get: (AnyObject) -> Any?? = { _ in nil }
        /// Returns whether the object is of the row's class.
        var act: ((AnyObject, inout Words) throws -> Bool)?
    }

    private static let rows: [String: [Row]] = {
        properties()
        calls()
        return made
    }()
    private static var made: [String: [Row]] = [:]

    /// `nil` if the object has nothing of this name to find.
    static func value(_ name: String, of object: AnyObject) -> Any? {
        for row in rows[name] ?? [] { if let value = row.get(object) { return value as Any } }
        return nil
    }

    /// All that can be read of an object, by name, without what loads views.
    static func values(of object: AnyObject) -> [(String, Any)] {
        rows.keys.sorted().compactMap { name in
            if name == "view" || name == "viewController" || name == "systemMinimumLayoutMargins" { return nil }
            return value(name, of: object).map { (name, $0) }
        }
    }

    static func act(_ name: String, on object: AnyObject, _ words: inout Words) throws {
        for row in rows[name] ?? [] { if try row.act?(object, &words) == true { return } }
        throw CaseFault("a \(type(of: object)) has no '\(name)' to set or call")
    }

    // MARK: Rows

    /// What is only read.
    private static func read<Root: AnyObject>(_ name: String, _ get: @escaping (Root) -> Any?) {
        made[name, default: []].append(Row(get: { ($0 as? Root).map { .some(get($0)) } }))
    }

    /// What is read, and set to a value.
    private static func value<Root: AnyObject, Value: CaseValue>(
        _ name: String, _ path: ReferenceWritableKeyPath<Root, Value>
    ) {
        read(name) { (root: Root) in root[keyPath: path] }
        call(name) { (root: Root, words) in root[keyPath: path] = try words.value() }
    }

    /// What is read, and set to an object or none.
    private static func object<Root: AnyObject, Value: AnyObject>(
        _ name: String, _ path: ReferenceWritableKeyPath<Root, Value?>
    ) {
        read(name) { (root: Root) in root[keyPath: path] }
        call(name) { (root: Root, words) in root[keyPath: path] = try words.object() }
    }

    /// What is called, or set to what `value` cannot read.
    static func call<Root>(_ name: String, _ act: @escaping (Root, inout Words) throws -> Void) {
        made[name, default: []].append(
            Row(act: { object, words in
                guard let root = object as? Root else { return false }
                try act(root, &words)
                return true
            }))
    }

    private static func properties() {
        // Views and guides.
        value("frame", \UIView.frame)
        value("bounds", \UIView.bounds)
        value("center", \UIView.center)
        value("isHidden", \UIView.isHidden)
        value("translatesAutoresizingMaskIntoConstraints", \UIView.translatesAutoresizingMaskIntoConstraints)
        value("autoresizesSubviews", \UIView.autoresizesSubviews)
        value("semanticContentAttribute", \UIView.semanticContentAttribute)
        value("layoutMargins", \UIView.layoutMargins)
        value("directionalLayoutMargins", \UIView.directionalLayoutMargins)
        value("leadingMargin", \UIView.directionalLayoutMargins.leading)
        value("insetsLayoutMarginsFromSafeArea", \UIView.insetsLayoutMarginsFromSafeArea)
        value("preservesSuperviewLayoutMargins", \UIView.preservesSuperviewLayoutMargins)
        read("x") { (view: UIView) in view.frame.minX }
        read("y") { (view: UIView) in view.frame.minY }
        read("width") { (view: UIView) in view.frame.width }
        read("height") { (view: UIView) in view.frame.height }
        read("right") { (view: UIView) in view.frame.maxX }
        read("bottom") { (view: UIView) in view.frame.maxY }
        read("size") { (view: UIView) in view.frame.size }
        read("safeAreaInsets") { (view: UIView) in view.safeAreaInsets }
        read("first") { (view: UIView) in view.subviews.first }
        read("compressedSize") { (it: UIView) in it.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize) }
        read("expandedSize") { (it: UIView) in it.systemLayoutSizeFitting(UIView.layoutFittingExpandedSize) }
        for kind in [UIView.LayoutRegion.safeArea(), .margins(), .readableContent()] {
            for axis in [nil, UIView.LayoutRegion.AdaptivityAxis.horizontal, .vertical] {
                let region = UIView.LayoutRegion(kind: kind.kind, axis: axis)
                let name = axis.map { "\(kind.kind)-\($0)" } ?? "\(kind.kind)"
                read("insets-\(name)") { (view: UIView) in view.edgeInsets(for: region) }
                read("guide-\(name)") { (view: UIView) in view.layoutGuide(for: region) }
            }
        }
        read("superview") { (view: UIView) in view.superview }
        read("subviews") { (view: UIView) in view.subviews }
        read("window") { (view: UIView) in view.window }
        read("constraints") { (view: UIView) in view.constraints }
        read("hasAmbiguousLayout") { (view: UIView) in view.hasAmbiguousLayout }
        read("hasAmbiguousLayout") { (guide: UILayoutGuide) in guide.hasAmbiguousLayout }
        read("layoutFrame") { (guide: UILayoutGuide) in guide.layoutFrame }
        read("owningView") { (guide: UILayoutGuide) in guide.owningView }
        read("safeAreaLayoutGuide") { (view: UIView) in view.safeAreaLayoutGuide }
        read("layoutMarginsGuide") { (view: UIView) in view.layoutMarginsGuide }
        read("keyboardLayoutGuide") { (view: UIView) in view.keyboardLayoutGuide }
        value("usesBottomSafeArea", \UIKeyboardLayoutGuide.usesBottomSafeArea)
        read("readableContentGuide") { (view: UIView) in view.readableContentGuide }
        read("direction") { (view: UIView) in view.effectiveUserInterfaceLayoutDirection }
        read("layouts") { (view: CaseView) in view.layouts }
        value("axis", \UIStackView.axis)
        value("distribution", \UIStackView.distribution)
        value("alignment", \UIStackView.alignment)
        value("spacing", \UIStackView.spacing)
        value("isLayoutMarginsRelativeArrangement", \UIStackView.isLayoutMarginsRelativeArrangement)
        read("arrangedSubviews") { (stack: UIStackView) in stack.arrangedSubviews }
        value("constant", \NSLayoutConstraint.constant)
        value("isActive", \NSLayoutConstraint.isActive)
        // View controllers.
        read("view") { (controller: UIViewController) in controller.view }
        read("isViewLoaded") { (controller: UIViewController) in controller.isViewLoaded }
        read("isShown") { (controller: UIViewController) in controller.viewIfLoaded?.window != nil }
        read("loads") { (controller: NamedController) in controller.loads }
        read("layouts") { (controller: NamedController) in controller.layouts }
        read("parent") { (controller: UIViewController) in controller.parent }
        read("children") { (controller: UIViewController) in controller.children }
        read("navigationController") { (controller: UIViewController) in controller.navigationController }
        read("tabBarController") { (controller: UIViewController) in controller.tabBarController }
        read("splitViewController") { (controller: UIViewController) in controller.splitViewController }
        read("presentedViewController") { (controller: UIViewController) in controller.presentedViewController }
        read("presentingViewController") { (controller: UIViewController) in controller.presentingViewController }
        read("widthClass") { (it: UIViewController) in it.traitCollection.horizontalSizeClass }
        read("heightClass") { (it: UIViewController) in it.traitCollection.verticalSizeClass }
        read("environment") { (it: UIViewController) in it.traitCollection.splitViewControllerLayoutEnvironment }
        read("systemMinimumLayoutMargins") { (it: UIViewController) in it.systemMinimumLayoutMargins }
        value("viewRespectsSystemMinimumLayoutMargins", \UIViewController.viewRespectsSystemMinimumLayoutMargins)
        value("additionalSafeAreaInsets", \UIViewController.additionalSafeAreaInsets)
        value("coveredInsets", \UIViewController.coveredInsets)
        value("preferredContentSize", \UIViewController.preferredContentSize)
        value("modalPresentationStyle", \UIViewController.modalPresentationStyle)
        value("prefersEdgeAttachedInCompactHeight", \UIViewController.isEdgeAttachedInCompactHeight)
        call("detents") { (controller: UIViewController, words) in
            let detents: [String: UISheetPresentationController.Detent] = [
                "medium": .medium(), "large": .large(), "huge": .custom(identifier: .init("huge")) { _ in 5000 },
            ]
            let names = words.all().split(separator: " ").map(String.init)
            controller.sheetPresentationController?.detents = names.compactMap { detents[$0] }
        }
        value("selectedDetent", \UIViewController.selectedDetent)
        read("isBeingPresented") { (controller: UIViewController) in controller.isBeingPresented }
        read("isBeingDismissed") { (controller: UIViewController) in controller.isBeingDismissed }
        value("isModalInPresentation", \UIViewController.isModalInPresentation)
        value("prefersInterfaceOrientationLocked", \CaseController.locks)
        value("forwards", \CaseController.forwards)
        read("tab") { (controller: UIViewController) in controller.tab }
        value("allows", \CaseDelegate.allows)
        value("compactStyle", \CaseDelegate.compactStyle)
        call("mode") { (delegate: SplitRecorder, words) in delegate.mode = try words.value() }
        call("topColumn") { (delegate: SplitRecorder, words) in delegate.topColumn = try words.value() }
        // Navigation and tabs.
        read("topViewController") { (navigation: UINavigationController) in navigation.topViewController }
        read("visibleViewController") { (navigation: UINavigationController) in navigation.visibleViewController }
        read("navigationBar") { (navigation: UINavigationController) in navigation.navigationBar }
        read("titles") { (bar: UINavigationBar) in bar.items?.map { $0.title ?? "-" } }
        value("isNavigationBarHidden", \UINavigationController.isNavigationBarHidden)
        value("mode", \UITabBarController.mode)
        value("isTabBarHidden", \UITabBarController.isTabBarHidden)
        object("selectedTab", \UITabBarController.selectedTab)
        object("selectedViewController", \UITabBarController.selectedViewController)
        value("selectedIndex", \UITabBarController.selectedIndex)
        read("sidebar") { (tabs: UITabBarController) in tabs.sidebar }
        read("tabBar") { (tabs: UITabBarController) in tabs.tabBar }
        read("placement") { (tabs: UITabBarController) in UISystem.current?.tabPlacement(of: tabs) }
        read("pane") { (tabs: UITabBarController) in tabs.selectedViewController?.view }
        read("content") { (tabs: UITabBarController) in tabs.contentLayoutGuide.layoutFrame }
        read("titles") { (tabs: UITabBarController) in tabs.barTitles }
        read("badges") { (tabs: UITabBarController) in tabs.tabBar.items?.map { $0.badgeValue ?? "-" } }
        read("enabled") { (tabs: UITabBarController) in tabs.tabBar.items?.map(\.isEnabled) }
        read("selectedTitle") { (tabs: UITabBarController) in tabs.tabBar.selectedItem?.title }
        value("isHidden", \UITabBarController.Sidebar.isHidden)
        value("preferredLayout", \UITabBarController.Sidebar.preferredLayout)
        read("isAvailable") { (sidebar: UITabBarController.Sidebar) in sidebar.isAvailable }
        value("isHidden", \UITab.isHidden)
        value("isHiddenByDefault", \UITab.isHiddenByDefault)
        value("isEnabled", \UITab.isEnabled)
        value("title", \UITab.title)
        value("preferredPlacement", \UITab.preferredPlacement)
        read("hasVisiblePlacement") { (tab: UITab) in tab.hasVisiblePlacement }
        read("viewController") { (tab: UITab) in tab.viewController }
        read("tabBarController") { (tab: UITab) in tab.tabBarController }
        read("parent") { (tab: UITab) in tab.parent }
        read("children") { (group: UITabGroup) in group.children }
        read("managingTabGroup") { (tab: UITab) in tab.managingTabGroup }
        object("managingNavigationController", \UITabGroup.managingNavigationController)
        object("selectedChild", \UITabGroup.selectedChild)
        read("viewControllers") { (navigation: UINavigationController) in navigation.viewControllers }
        // Split views.
        value("preferredDisplayMode", \UISplitViewController.preferredDisplayMode)
        value("preferredSplitBehavior", \UISplitViewController.preferredSplitBehavior)
        value("presentsWithGesture", \UISplitViewController.presentsWithGesture)
        value("primaryEdge", \UISplitViewController.primaryEdge)
        value("preferredPrimaryColumnWidth", \UISplitViewController.preferredPrimaryColumnWidth)
        value("preferredPrimaryColumnWidthFraction", \UISplitViewController.preferredPrimaryColumnWidthFraction)
        value("minimumPrimaryColumnWidth", \UISplitViewController.minimumPrimaryColumnWidth)
        value("maximumPrimaryColumnWidth", \UISplitViewController.maximumPrimaryColumnWidth)
        value("preferredSupplementaryColumnWidth", \UISplitViewController.preferredSupplementaryColumnWidth)
        value("minimumSupplementaryColumnWidth", \UISplitViewController.minimumSupplementaryColumnWidth)
        value("preferredSecondaryColumnWidth", \UISplitViewController.preferredSecondaryColumnWidth)
        value("minimumSecondaryColumnWidth", \UISplitViewController.minimumSecondaryColumnWidth)
        value("maximumInspectorColumnWidth", \UISplitViewController.maximumInspectorColumnWidth)
        read("primaryColumnWidth") { (split: UISplitViewController) in split.primaryColumnWidth }
        read("supplementaryColumnWidth") { (split: UISplitViewController) in split.supplementaryColumnWidth }
        read("displayMode") { (split: UISplitViewController) in split.displayMode }
        read("splitBehavior") { (split: UISplitViewController) in split.splitBehavior }
        read("isCollapsed") { (split: UISplitViewController) in split.isCollapsed }
        read("viewControllers") { (split: UISplitViewController) in split.viewControllers }
        read("stack") { (it: UISplitViewController) in
            (it.viewControllers.first as? UINavigationController)?.viewControllers
        }
        read("stacks") { (split: UISplitViewController) in
            let columns = [UISplitViewController.Column.primary, .supplementary, .secondary]
            return columns.map { column in
                let titles = (split.slots[column].child as? UINavigationController)?.viewControllers.titles ?? ""
                return titles.isEmpty ? "none" : titles
            }.joined(separator: ", ")
        }
        read("separators") { (split: UISplitViewController) in UISystem.current?.separators(of: split).map(\.x) }
        read("directions") { (split: UISplitViewController) in
            UISystem.current?.separators(of: split).map { separator in
                let names = separator.directions.map { "\($0)" }.sorted()
                return names.isEmpty ? "none" : names.joined(separator: "+")
            }
        }
        read("isDragged") { (split: UISplitViewController) in split.drag != nil }
        for column in [UISplitViewController.Column.primary, .supplementary, .secondary, .compact, .inspector] {
            // What a column shows, and whether it is shown.
            read("\(column)") { (split: UISplitViewController) in
                split.slots[column].child?.viewIfLoaded.flatMap { $0.superview === split.view ? $0 : nil }
            }
            read("child-\(column)") { (split: UISplitViewController) in split.slots[column].child }
            read("controller-\(column)") { (split: UISplitViewController) in split.viewController(for: column) }
            read("shows-\(column)") { (split: UISplitViewController) in split.isShowing(column) }
        }
        // Scenes and windows.
        read("size") { (scene: UIWindowScene) in scene.effectiveGeometry.coordinateSpace.bounds.size }
        read("frame") { (scene: UIWindowScene) in scene.effectiveGeometry.systemFrame }
        read("orientation") { (scene: UIWindowScene) in scene.effectiveGeometry.interfaceOrientation }
        read("isLocked") { (scene: UIWindowScene) in scene.effectiveGeometry.isInterfaceOrientationLocked }
        read("lockIsPreferred") { (scene: UIWindowScene) in scene.lock.isPreferred }
        read("isResizing") { (scene: UIWindowScene) in scene.effectiveGeometry.isInteractivelyResizing }
        read("isFullScreen") { (scene: UIWindowScene) in scene.isFullScreen }
        read("activationState") { (scene: UIScene) in scene.activationState }
        read("sizeRestrictions") { (scene: UIWindowScene) in scene.sizeRestrictions }
        read("keyWindow") { (scene: UIWindowScene) in scene.keyWindow }
        read("windows") { (scene: UIWindowScene) in scene.windows }
        read("widthClass") { (scene: UIWindowScene) in scene.traitCollection.horizontalSizeClass }
        read("heightClass") { (scene: UIWindowScene) in scene.traitCollection.verticalSizeClass }
        read("built") { (scene: UIWindowScene) in RecordingSceneDelegate.of(scene).rebuilds }
        read("shownFrame") { (scene: UIWindowScene) in UISystem.current?.presentation(of: scene).frame }
        read("isOnScreen") { (scene: UIWindowScene) in
            UISystem.current.map { scene.screen.bounds.contains($0.presentation(of: scene).frame) }
        }
        read("scale") { (scene: UIWindowScene) in UISystem.current?.presentation(of: scene).scale }
        read("isLetterboxed") { (scene: UIWindowScene) in UISystem.current?.presentation(of: scene).isLetterboxed }
        read("direction") { (scene: UIWindowScene) in scene.traitCollection.layoutDirection }
        read("style") { (scene: UIWindowScene) in scene.traitCollection.userInterfaceStyle }
        read("idiom") { (scene: UIWindowScene) in scene.traitCollection.userInterfaceIdiom }
        read("displayScale") { (scene: UIWindowScene) in scene.traitCollection.displayScale }
        value("mayBecomeKey", \CaseWindow.mayBecomeKey)
        read("isKeyWindow") { (window: UIWindow) in window.isKeyWindow }
        read("bounds") { (screen: UIScreen) in screen.bounds }
        value("minimumSize", \UISceneSizeRestrictions.minimumSize)
        value("maximumSize", \UISceneSizeRestrictions.maximumSize)
        value("allowsFullScreen", \UISceneSizeRestrictions.allowsFullScreen)
        object("rootViewController", \UIWindow.rootViewController)
        object("windowScene", \UIWindow.windowScene)
    }
}

extension UIViewController {
    fileprivate var selectedDetent: String {
        get { sheetPresentationController?.selectedDetentIdentifier?.rawValue ?? "none" }
        set { sheetPresentationController?.selectedDetentIdentifier = .init(newValue) }
    }
    fileprivate var isEdgeAttachedInCompactHeight: Bool {
        get { sheetPresentationController?.prefersEdgeAttachedInCompactHeight ?? false }
        set { sheetPresentationController?.prefersEdgeAttachedInCompactHeight = newValue }
    }
}
