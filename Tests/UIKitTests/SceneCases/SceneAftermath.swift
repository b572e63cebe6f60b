import TestSupport
import UIKit
import XCTest

/// What is found behind a case: all of its calls, then after each of some changes that any app may see every view's and
/// view controller's place, at last all that cases can read.
///
/// A case draws one thing; this has the rest, of which `Tests/Cases/scenes/aftermath` keeps a number for each case.
@MainActor struct SceneAftermath {
    private var world: SceneWorld
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
        world = Self.emptyWorld()
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
        world = Self.emptyWorld()
        _ = scene.run(in: world)
        world.history = []
        actAtRandom(scene.title)
        everything()
    }

    /// What ran before has ended; a case without an app finds the same one each time.
    private static func emptyWorld() -> SceneWorld {
        _ = try? TestApp()
        return SceneWorld()
    }

    /// What is changed of objects beside `changesOfObjects`, where `$` is a new view controller, and `%` a new view.
    private static let more: [(isOne: (AnyObject) -> Bool, changes: [String])] = [
        (
            { $0 is UIWindowScene },
            [
                "beginResize", "resize 700x500", "resize 400x800", "endResize", "place 10 20 500 600",
                "bring background", "bring foregroundActive", "requestFrame 5 6 700 800", "moveToDisplay",
                "requestOrientations portrait", "requestOrientations all", "disconnect",
            ]
        ),
        (
            { $0 is UINavigationController },
            ["push $", "viewControllers $"]
        ),
        (
            { $0 is UISplitViewController },
            ["setViewController primary $", "setViewController secondary $", "setViewController inspector $", "show $"]
        ),
        ({ $0 is UITabBarController }, ["selectedIndex 0", "selectedIndex 2", "mode tabBar", "viewControllers $"]),
        (
            { $0 is UIViewController },
            [
                "present $", "show $", "showDetail $", "addChild $", "embed $", "removeFromParent",
                "overrideStyle dark",
                "supports portrait", "supports landscape", "isModalInPresentation true", "title words",
                "view.layOut",
            ]
        ),
        (
            { $0 is UIView },
            [
                "addSubview %", "removeFromSuperview", "autoresizingMask width height", "hugging 700 horizontal",
                "resistance 200 vertical", "layOut",
                "isHidden false", "frame 3 4 55 66", "insertSubview % 0",
            ]
        ),
        ({ $0 is NSLayoutConstraint }, ["priority 400", "constant -5"]),
    ]

    /// Changes in any order; the same ones behind each case of this title.
    private mutating func actAtRandom(_ title: String) {
        var random = SplitMix64(seed: title.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        for step in 0..<60 {
            var changes = world.app == nil ? [] : Self.changes
            var objects = world.named
            if let scene = try? world.object("scene") { objects.append(("scene", scene)) }
            let (name, object) = random.pick(objects)
            let own = (Self.changesOfObjects + Self.more).filter { $0.isOne(object) }.flatMap(\.changes)
            if changes.isEmpty || random.chance(70) { changes = own.map { "\(name).\($0)" } }
            guard !changes.isEmpty else { continue }
            var change = random.pick(changes)
            for (sign, verb) in [("$", "controllers"), ("%", "views")] where change.contains(sign) {
                act("\(verb) new\(step)", isNoted: false)
                change = change.replacing(sign, with: "new\(step)")
            }
            act(change, isNoted: step % 10 == 9)
        }
    }

    var number: String {
        var aftermath = Aftermath()
        aftermath.note(text)
        return aftermath.number
    }

    private mutating func act(_ change: String, isNoted: Bool = true) {
        do { try world.act(change) } catch { text += "refused: \(error)\n" }
        if isNoted { note(change) }
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
