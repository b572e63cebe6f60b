import Settle
import XCTest

@testable import UIKit

extension CaseTable {
    static func calls() {
        // Views.
        call("addSubview") { (view: UIView, words) in while !words.isEmpty { view.addSubview(try words.some()) } }
        call("removeFromSuperview") { (view: UIView, _) in view.removeFromSuperview() }
        call("insertSubview") { (view: UIView, words) in view.insertSubview(try words.some(), at: try words.value()) }
        call("insertAbove") { (it: UIView, words) in it.insertSubview(try words.some(), aboveSubview: try words.some())
        }
        call("insertBelow") { (it: UIView, words) in it.insertSubview(try words.some(), belowSubview: try words.some())
        }
        call("bringSubviewToFront") { (view: UIView, words) in view.bringSubviewToFront(try words.some()) }
        call("sendSubviewToBack") { (view: UIView, words) in view.sendSubviewToBack(try words.some()) }
        call("setCustomSpacing") { (it: UIStackView, words) in
            it.setCustomSpacing(try words.value(), after: try words.some())
        }
        call("removeArrangedSubview") { (it: UIStackView, words) in it.removeArrangedSubview(try words.some()) }
        call("insertArrangedSubview") { (it: UIStackView, words) in
            it.insertArrangedSubview(try words.some(), at: try words.value())
        }
        call("layoutIfNeeded") { (view: UIView, _) in view.layoutIfNeeded() }
        call("addLayoutGuide") { (view: UIView, words) in view.addLayoutGuide(try words.some()) }
        call("removeLayoutGuide") { (view: UIView, words) in view.removeLayoutGuide(try words.some()) }
        call("ownSize") { (view: CaseView, words) in view.ownSize = try words.value() }
        call("autoresizingMask") { (view: UIView, words) in view.autoresizingMask = try words.mask() }
        call("hugging") { (view: UIView, words) in
            view.setContentHuggingPriority(try words.value(), for: try words.value())
        }
        call("resistance") { (view: UIView, words) in
            view.setContentCompressionResistancePriority(try words.value(), for: try words.value())
        }
        call("overrideDirection") { (view: UIView, words) in view.traitOverrides.layoutDirection = try words.value() }
        call("addConstraint") { (view: UIView, words) in view.addConstraint(try words.some()) }
        call("removeConstraint") { (view: UIView, words) in view.removeConstraint(try words.some()) }
        call("resize") { (view: UIView, words) in view.frame.size = try words.value() }
        call("layOut") { (view: UIView, _) in
            view.setNeedsLayout()
            view.layoutIfNeeded()
        }
        // The distances of the top, leading, bottom and trailing sides to those of another view or guide; - for none.
        call("sides") { (view: UIView, words) in
            let other: AnyObject = try words.some()
            let distances = try (0..<4).map { _ in CGFloat(words: [try words.word()]) }
            @MainActor func constraints(_ other: some Anchored) -> [NSLayoutConstraint] {
                view.sides(
                    of: other, top: distances[0], leading: distances[1], bottom: distances[2], trailing: distances[3])
            }
            if let view = other as? UIView { constraints(view).activate() }
            if let guide = other as? UILayoutGuide { constraints(guide).activate() }
        }
        // View controllers.
        call("addChild") { (parent: UIViewController, words) in parent.addChild(try words.some()) }
        call("removeFromParent") { (child: UIViewController, _) in child.removeFromParent() }
        call("embed") { (parent: UIViewController, words) in parent.embed(try words.some()) }
        call("beginAppearance") { (it: UIViewController, words) in
            it.beginAppearanceTransition(try words.value(), animated: false)
        }
        call("endAppearance") { (it: UIViewController, _) in it.endAppearanceTransition() }
        call("transition") { (it: UIViewController, words) in
            it.transition(from: try words.some(), to: try words.some(), duration: 0, animations: nil)
        }
        call("present") { (controller: UIViewController, words) in controller.present(try words.some(), animated: false)
        }
        call("dismiss") { (controller: UIViewController, _) in controller.dismiss(animated: false) }
        call("presentationDelegate") { (controller: UIViewController, words) in
            controller.presentationController?.delegate = try words.object(CaseDelegate.self)
        }
        call("overrideWidthClass") { (it: UIViewController, words) in
            it.traitOverrides.horizontalSizeClass = try words.value()
        }
        call("overrideStyle") { (it: UIViewController, words) in it.overrideUserInterfaceStyle = try words.value() }
        call("names") { (outer: CaseController, words) in outer.locking = try words.object() }
        call("supports") { (controller: CaseController, words) in controller.mask = try words.orientations() }
        call("show") { (controller: UIViewController, words) in
            // A split view controller shows columns, and any one other view controllers.
            if let split = controller as? UISplitViewController { return split.show(try words.value()) }
            controller.show(try words.some(), sender: nil)
        }
        call("showDetail") { (it: UIViewController, words) in it.showDetailViewController(try words.some(), sender: nil)
        }
        call("title") { (controller: UIViewController, words) in controller.title = words.all() }
        // Navigation and tabs.
        call("push") { (it: UINavigationController, words) in it.pushViewController(try words.some(), animated: false) }
        call("pop") { (it: UINavigationController, _) in it.popViewController(animated: false) }
        call("popToRoot") { (it: UINavigationController, _) in it.popToRootViewController(animated: false) }
        call("popTo") { (it: UINavigationController, words) in it.popToViewController(try words.some(), animated: false)
        }
        call("viewControllers") { (it: UINavigationController, words) in it.viewControllers = try words.objects() }
        call("viewControllers") { (it: UITabBarController, words) in it.viewControllers = try words.objects() }
        call("tabs") { (it: UITabBarController, words) in it.tabs = try words.tabs() }
        call("showSidebar") { (tabs: UITabBarController, words) in
            try UISystem.current?.setSidebarHidden(!words.value(), of: tabs)
        }
        call("badgeValue") { (tab: UITab, words) in tab.badgeValue = try words.word() }
        call("choose") { (tab: UITab, _) in try UISystem.current?.select(tab) }
        call("children") { (it: UITabGroup, words) in it.children = try words.tabs() }
        call("compactTabIdentifiers") { (it: UITabBarController, words) in
            it.compactTabIdentifiers = words.all().split(separator: " ").map(String.init)
        }
        call("defaultChildIdentifier") { (it: UITabGroup, words) in it.defaultChildIdentifier = words.all() }
        // Split views.
        call("hide") { (split: UISplitViewController, words) in split.hide(try words.value()) }
        call("setViewController") { (split: UISplitViewController, words) in
            let column = try words.value(UISplitViewController.Column.self)
            split.setViewController(try words.object(), for: column)
        }
        call("changeDisplayMode") { (split: UISplitViewController, _) in
            try UISystem.current?.changeDisplayMode(of: split)
        }
        call("beginDrag") { (split: UISplitViewController, words) in
            let column = try words.value(UISplitViewController.Column.self)
            let separator = UISystem.current?.separators(of: split).first { $0.before == column }
            guard let separator else { throw CaseFault("no separator after the column \(column)") }
            SceneWorld.current?.separator = separator
            try UISystem.current?.beginDrag(separator)
        }
        call("drag") { (_: UISplitViewController, words) in
            guard let separator = SceneWorld.current?.separator else { throw CaseFault("beginDrag comes before") }
            try UISystem.current?.drag(separator, to: words.value())
        }
        call("endDrag") { (_: UISplitViewController, _) in
            guard let separator = SceneWorld.current?.separator else { throw CaseFault("beginDrag comes before") }
            UISystem.current?.endDrag(separator)
        }
        // Scenes and windows.
        call("requestOrientations") { (scene: UIWindowScene, words) in
            scene.requestGeometryUpdate(.iOS(interfaceOrientations: try words.orientations())) {
                SceneWorld.current?.note("error \(($0 as? UISceneError)?.code.rawValue ?? 0)")
            }
        }
        call("requestFrame") { (scene: UIWindowScene, words) in
            scene.requestGeometryUpdate(.Mac(systemFrame: try words.value())) {
                SceneWorld.current?.note("error \(($0 as? UISceneError)?.code.rawValue ?? 0)")
            }
        }
        call("beginResize") { (scene: UIWindowScene, _) in try UISystem.current?.beginResize(scene) }
        call("endResize") { (scene: UIWindowScene, _) in try UISystem.current?.endResize(scene) }
        call("resize") { (scene: UIWindowScene, words) in try UISystem.current?.resize(scene, to: words.value()) }
        call("place") { (scene: UIWindowScene, words) in try UISystem.current?.place(scene, in: words.value()) }
        // To the display that was attached last.
        call("moveToDisplay") { (scene: UIWindowScene, words) in
            guard let system = UISystem.current, let display = system.screens.last else { return }
            try system.move(scene, to: display, frame: words.isEmpty ? nil : words.value())
        }
        call("bring") { (scene: UIWindowScene, words) in try UISystem.current?.bring(scene, to: words.value()) }
        call("step") { (scene: UIWindowScene, words) in try UISystem.current?.transition(scene, to: words.value()) }
        call("discard") { (scene: UIWindowScene, _) in UISystem.current?.discard(scene.session) }
        call("disconnect") { (scene: UIWindowScene, _) in try UISystem.current?.disconnect(scene) }
        call("safeArea") { (scene: UIWindowScene, words) in
            try UISystem.current?.setSafeAreaInsets(words.value(), of: scene)
        }
        call("makeKey") { (window: UIWindow, _) in window.makeKey() }
        call("makeKeyAndVisible") { (window: UIWindow, _) in window.makeKeyAndVisible() }
        call("level") { (window: UIWindow, words) in window.windowLevel = UIWindow.Level(rawValue: try words.value()) }
    }
}

extension Words {
    fileprivate mutating func mask() throws -> UIView.AutoresizingMask {
        try options([
            "width": .flexibleWidth, "height": .flexibleHeight, "left": .flexibleLeftMargin,
            "right": .flexibleRightMargin, "top": .flexibleTopMargin, "bottom": .flexibleBottomMargin,
        ])
    }

    fileprivate mutating func orientations() throws -> UIInterfaceOrientationMask {
        try options([
            "portrait": .portrait, "landscapeLeft": .landscapeLeft, "landscapeRight": .landscapeRight,
            "landscape": .landscape, "all": .all,
        ])
    }

    /// All words that are left, as a set.
    private mutating func options<Options: OptionSet>(_ names: [String: Options]) throws -> Options {
        var all: Options = []
        while !isEmpty {
            let name = try word()
            guard let part = names[name] else { throw CaseFault("'\(name)' is none of \(names.keys.sorted())") }
            all.formUnion(part)
        }
        return all
    }
}

extension SceneWorld {
    /// Makes the app of the case and launches it: `pad [WIDTHxHEIGHT] [OPTION=VALUE ...]`.
    func launch(_ kind: UISystem.Platform.Kind, _ words: inout Words) throws {
        var platform = UISystem.Platform(kind)
        var scenes = [TestApp.window: [TestApp.recorded]]
        var (size, policy, extra) = (CGSize?.none, Policy.immediate(lockDelay: .milliseconds(100)), [String: Any]())
        while !words.isEmpty {
            let text = try words.word()
            let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
            func value<Value: CaseValue>() throws -> Value {
                var words = Words(halves[1].replacingOccurrences(of: ",", with: " "), self)
                return try words.value()
            }
            guard halves.count == 2 else {
                guard size == nil, let read = CGSize(words: [text]), read.width > 0, read.height > 0 else {
                    throw CaseFault("'\(text)' is no size and no OPTION=VALUE in: \(kind) \(text)")
                }
                size = read
                continue
            }
            switch halves[0] {
            case "direction": platform.layoutDirection = try value()
            case "style": platform.userInterfaceStyle = try value()
            case "screen": platform.screenSize = try value()
            case "windowed": platform.isWindowed = try value()
            case "sdk": platform.linkedSDK = UISystem.Version(halves[1]) ?? 0
            case "os": platform.osVersion = UISystem.Version(halves[1]) ?? 0
            case "introduced": platform.screenIntroduced = UISystem.Version(halves[1]) ?? 0
            case "insets": platform.sceneInsets.window = try value()
            case "delay": policy = .fixed(.milliseconds(try value() as Int))
            case "external": scenes[TestApp.external] = try value() ? [TestApp.recorded] : []
            case "plist": extra[halves[1]] = true
            default: throw CaseFault("there is no option '\(halves[0])'")
            }
        }
        app = try TestApp(
            platform: platform, scenes: scenes, extra: extra, policy: policy
        ).launched()
        app.system.onDecision = { [unowned self] scene, decision in add(decision, "") }
        app.system.onColumnDecision = { [unowned self] _, column, decision in add(decision, "\(column) ") }
        if let size { try app.resize(size.width, size.height) }
        // Those of the end of the previous app are among them.
        DelegateCalls.all = []
        (decisions, history) = ([], [])
    }

    private func add(_ decision: Decision, _ name: String) {
        decisions.append(name + words(of: decision))
        history.append(name + words(of: decision))
    }

    private func words(of decision: Decision) -> String {
        switch decision.kind {
        case .interactionBegan: "began"
        case .interactionEnded(let reason, _): "ended \(reason)"
        case .rebuild(let rebuild):
            "rebuild \(Int(rebuild.size.width))x\(Int(rebuild.size.height))"
        case .preview: "preview"
        case .lockChanged(let isLocked): isLocked ? "locked" : "unlocked"
        }
    }
}
