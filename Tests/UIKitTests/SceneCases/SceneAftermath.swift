import TestSupport
import UIKit
import XCTest

/// What is found behind a case: all of its calls, then after each of some changes that any app may see every view's and
/// view controller's place, at last all that cases can read.
///
/// A case draws one thing; this has the rest, of which `Tests/Cases/scenes/aftermath` keeps a number for each case.
@MainActor struct SceneAftermath {
    private let world = SceneWorld()
    /// What is wrong with the case itself.
    let faults: [(number: Int, text: String)]
    private(set) var text = ""

    /// What a person, a device and an app may do in any case.
    private static let changes = [
        "resize 500x700", "rotate landscapeLeft", "drag 1100x600 3", "rotate portrait", "background", "wait 2s",
        "foreground", "keyboard 250", "resize 640x480", "keyboard off", "dismiss", "scene.place 30 40 900 800",
        "scene.requestOrientations landscape", "scene.safeArea 5 6 7 8", "display 800x600", "cover on", "cover off",
        "display off",
    ]

    /// What an app may do with the case's objects of a class.
    private static let changesOfObjects: [(isOne: (AnyObject) -> Bool, changes: [String])] = [
        (
            { $0 is UISplitViewController },
            [
                "changeDisplayMode", "hide primary", "show primary", "show secondary", "preferredSplitBehavior overlay",
                "preferredDisplayMode oneBesideSecondary", "preferredPrimaryColumnWidth 250", "primaryEdge trailing",
                "show inspector", "hide inspector", "beginDrag primary", "drag 280", "endDrag",
            ]
        ),
        (
            { $0 is UITabBarController },
            [
                "selectedIndex 1", "mode tabSidebar", "showSidebar true", "isTabBarHidden true", "isTabBarHidden false",
            ]
        ),
        ({ $0 is UINavigationController }, ["isNavigationBarHidden true", "pop", "popToRoot"]),
        (
            { $0 is UIViewController },
            [
                "overrideWidthClass compact", "view.overrideDirection rightToLeft",
                "additionalSafeAreaInsets 10 20 30 40",
                "preferredContentSize 300x200", "dismiss",
            ]
        ),
        ({ $0 is UIStackView }, ["axis vertical", "spacing 7", "alignment center", "distribution equalSpacing"]),
        (
            { $0 is UIView },
            ["layoutMargins 1 2 3 4", "resize 320x240", "isHidden true", "overrideDirection rightToLeft"]
        ),
        ({ $0 is NSLayoutConstraint }, ["constant 33", "isActive false"]),
        ({ $0 is UITab }, ["choose", "isHidden true"]),
        ({ $0 is UIWindow }, ["makeKey", "isHidden true"]),
    ]

    init(behind scene: SceneCase) {
        faults = scene.run(in: world)
        note("the case")
        if world.app != nil { for change in Self.changes { act(change) } }
        for (name, object) in world.named {
            for (isOne, changes) in Self.changesOfObjects where isOne(object) {
                for change in changes { act("\(name).\(change)") }
            }
        }
        act(world.app == nil ? "root.layOut" : "resize 1000x900")
        everything()
    }

    var number: String {
        var aftermath = Aftermath()
        aftermath.note(text)
        return aftermath.number
    }

    private mutating func act(_ change: String) {
        do { try world.act(change) } catch { text += "refused: \(error)\n" }
        note(change)
    }

    private mutating func note(_ change: String) {
        text += "# \(change)\n" + world.history.map { "\($0)\n" }.joined()
        world.history = []
        eachView { view, depth in
            let values = ["frame", "safeAreaInsets", "layoutMargins"].map { CaseTable.value($0, of: view)! }
            let isHidden = view.isHidden ? " hidden" : ""
            text +=
                String(repeating: " ", count: depth)
                + "\(type(of: view)) \(values.map(world.text).joined(separator: ", "))\(isHidden)\n"
        }
    }

    private func eachView(_ body: (UIView, Int) -> Void) {
        func walk(_ view: UIView, _ depth: Int) {
            body(view, depth)
            for child in view.subviews { walk(child, depth + 1) }
        }
        if let root = try? world.object("root") as? UIView { walk(root, 0) }
        for scene in world.app?.system.windowScenes ?? [] { for window in scene.windows { walk(window, 0) } }
    }

    private mutating func everything() {
        var objects = world.named
        eachView { view, _ in
            objects.append(("a view", view))
            if let controller = view.next as? UIViewController { objects.append(("its controller", controller)) }
        }
        for scene in world.app?.system.windowScenes ?? [] { objects.append(("a scene", scene)) }
        for (name, object) in objects {
            text += "\(name):"
            for (word, value) in CaseTable.values(of: object) { text += " \(word) \(world.text(value));" }
            text += "\n"
        }
        for message in world.app?.system.messages ?? [] {
            text += message.replacing(#/[0-9A-F]{8}-[-0-9A-F]{27}/#, with: "a session") + "\n"
        }
    }
}
