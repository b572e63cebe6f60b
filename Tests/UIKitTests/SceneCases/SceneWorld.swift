import Settle
import XCTest

@testable import UIKit

/// What a case has made, and the words that it is written in: `verbs` act, `observables` are found.
@MainActor final class SceneWorld {
    typealias Verb = (SceneWorld, inout Words) throws -> Void
    /// What is found; it begins with the words that only ask.
    typealias Observable = (SceneWorld, inout Words) throws -> String

    /// The world of the case that runs.
    private(set) static weak var current: SceneWorld?

    var app: TestApp!
    private lazy var objects: [String: AnyObject] = ["delegate": delegate, "splitDelegate": splitDelegate]
    private var hooks: [(call: String, action: String)] = []
    /// Which calls `calls` has: those that contain one of these.
    private var logged: [String] = []
    var decisions: [String] = []
    /// All calls and decisions, also those that `calls` does not have.
    var history: [String] = []
    /// All that were made, in that order.
    var controllers: [CaseController] = []
    /// The one that a person drags.
    var separator: UISystem.Separator?
    let (delegate, splitDelegate) = (CaseDelegate(), SplitRecorder())

    init() {
        Self.current = self
        DelegateCalls.all = []
        splitDelegate.onCall = { [unowned self] split, call in note(split.isCollapsed ? "\(call) collapsed" : call) }
    }

    func system() throws -> UISystem {
        guard let app else { throw CaseFault("there is no platform yet, such as pad") }
        return app.system
    }

    // MARK: Calls

    /// What only says more of other calls, and has to be asked for.
    private static let details = [
        " layout ", " is appearing ", " size ", " settled ", " safe area", " margins", " traits ", " constraints",
    ]

    /// Records a call, and does what the case does in it, once.
    func note(_ call: String) {
        DelegateCalls.all.append(call)
        history.append(call)
        let due = hooks.filter { "\(call) ".hasPrefix("\($0.call) ") }
        guard !due.isEmpty else { return }
        hooks.removeAll { "\(call) ".hasPrefix("\($0.call) ") }
        for (_, action) in due {
            do { try act(action) } catch { XCTFail("on \(call): \(action): \(error)") }
        }
    }

    var unmetHooks: [String] { hooks.map(\.call) }

    private func drainedCalls() -> [String] {
        DelegateCalls.drain().filter { call in
            if logged == ["all"] { return true }
            if logged.isEmpty { return !Self.details.contains { "\(call) ".contains($0) } }
            return logged.contains { "\(call) ".contains($0) }
        }
    }

    private func drainedDecisions() -> [String] {
        defer { decisions = [] }
        return decisions
    }

    // MARK: Objects

    var named: [(name: String, object: AnyObject)] {
        objects.sorted { $0.key < $1.key }.map { (name: $0.key, object: $0.value) }
    }

    func add(_ object: AnyObject, _ name: String) throws {
        guard objects.updateValue(object, forKey: name) == nil else { throw CaseFault("a second '\(name)'") }
    }

    func object(_ name: String) throws -> AnyObject {
        if let object = objects[name] { return object }
        switch name {
        case "scene":
            let scene = try system().windowScenes.first { $0.session.role == .windowApplication }
            if let scene { return scene }
        case "window": if let window = try system().windowScenes.first?.windows.last { return window }
        case "screen": return try system().mainScreen
        default: break
        }
        throw CaseFault("there is no object '\(name)'")
    }

    /// The object of this name, or a recording view controller that is made.
    func controller(_ name: String) throws -> UIViewController {
        if objects[name] == nil { try add(CaseController(name), name) }
        guard let controller = objects[name] as? UIViewController else {
            throw CaseFault("'\(name)' is no view controller")
        }
        return controller
    }

    func name(of object: AnyObject) -> String {
        if let name = objects.filter({ $0.value === object }).keys.min() { return name }
        if let title = (object as? UIViewController)?.title { return title }
        if let tab = object as? UITab { return tab.identifier }
        if let controller = (object as? UIView)?.next as? UIViewController { return "\(name(of: controller)).view" }
        // That of a column.
        if let root = (object as? UINavigationController)?.viewControllers.first {
            return "\(name(of: root)).navigationController"
        }
        return "\(type(of: object))"
    }

    /// What a path such as `a.view.frame` ends at: its object and its last word.
    func resolve(_ path: String) throws -> (AnyObject, String) {
        let parts = path.split(separator: ".").map(String.init)
        guard parts.count > 1 else { throw CaseFault("'\(path)' is no OBJECT.WORD") }
        var object = try object(parts[0])
        for part in parts.dropFirst().dropLast() {
            guard let next = CaseTable.value(part, of: object), let value = unwrapped(next) else {
                throw CaseFault("'\(part)' of '\(path)' is no object")
            }
            object = value as AnyObject
        }
        return (object, parts[parts.count - 1])
    }

    // MARK: Lines

    static let scriptCommands = UISystem.Script.Command.forms.split(separator: ", ").map {
        String($0.prefix { $0 != " " })
    }

    /// Does what one part of a line says: a verb, a constraint, something of an object, or a command of scripts.
    func act(_ text: String) throws {
        var words = Words(text, self)
        let first = try words.word()
        if let verb = Self.verbs[first] {
            try verb(self, &words)
        } else if let equation = Equation(text) {
            try equation.activate(in: self)
            return
        } else if first.contains(".") {
            let (object, name) = try resolve(first)
            try CaseTable.act(name, on: object, &words)
        } else if first == "kill" {
            throw CaseFault("that ends the process of the tests")
        } else {
            return try UISystem.Script(text, name: "case").run(on: system()) { _ in }
        }
        try words.end()
    }

    /// One part of what is expected, as it is found.
    func find(_ text: String) throws -> String {
        var words = Words(text, self)
        let first = try words.word()
        if let observable = Self.observables[first] { return "\(first) \(try observable(self, &words))" }
        guard first.contains(".") else {
            throw CaseFault("there is no observable '\(first)'; there are \(Self.observables.keys.sorted())")
        }
        let (object, name) = try resolve(first)
        guard let value = CaseTable.value(name, of: object) else {
            throw CaseFault("a \(type(of: object)) has no '\(name)' to find")
        }
        return "\(first) \(self.text(value))"
    }

    static let verbs: [String: Verb] = [
        "phone": { try $0.launch(.phone, &$1) }, "pad": { try $0.launch(.pad, &$1) },
        "mac": { try $0.launch(.mac, &$1) }, "vision": { try $0.launch(.vision, &$1) },
        // From now on `calls` has those that contain one of these.
        "log": { world, words in
            world.logged = words.all().components(separatedBy: ", ")
            DelegateCalls.all = []
        },
        "on": { world, words in
            let halves = words.all().components(separatedBy: ": ")
            guard halves.count == 2 else { throw CaseFault("on CALL: ACTION") }
            world.hooks.append((halves[0], halves[1]))
        },
        "show": { world, words in
            _ = try world.system()
            world.app.show(try world.controller(words.word()))
        },
        "controllers": { world, words in while !words.isEmpty { _ = try world.controller(words.word()) } },
        "views": { world, words in
            while !words.isEmpty {
                let view = CaseView(try words.word())
                try world.add(view, view.name)
            }
        },
        "name": { world, words in
            let name = try words.word()
            try world.add(words.some(), name)
        },
        // A root view of a size, and views in it or in another one that constraints place.
        "canvas": { world, words in
            let root = CaseView("root")
            root.frame.size = try words.value()
            try world.add(root, "root")
        },
        "content": { world, words in
            let outer: UIView = try words.some()
            while !words.isEmpty {
                let view = CaseView(try words.word())
                view.translatesAutoresizingMaskIntoConstraints = false
                outer.addSubview(view)
                try world.add(view, view.name)
            }
        },
        // Of views that have sizes of their own by `ownSize`.
        "stackView": { world, words in
            let name = try words.word()
            try world.add(UIStackView(arrangedSubviews: words.objects()), name)
        },
        "guide": { world, words in try world.add(UILayoutGuide(), words.word()) },
        "windows": { world, words in
            _ = try world.system()
            while !words.isEmpty {
                let window = CaseWindow(windowScene: world.app.scene)
                window.name = try words.word()
                try world.add(window, window.name)
            }
        },
        "navigation": { world, words in
            let navigation = UINavigationController()
            try world.add(navigation, words.word())
            var stack: [UIViewController] = []
            while !words.isEmpty { stack.append(try world.controller(words.word())) }
            navigation.viewControllers = stack
            navigation.delegate = world.delegate
        },
        "tabs": { world, words in
            let name = words.label() ?? "tabs"
            let tabs = try words.tabs()
            if let controller = world.objects[name] as? UITabBarController {
                controller.tabs = tabs
            } else {
                let controller = tabs.isEmpty ? UITabBarController() : UITabBarController(tabs: tabs)
                controller.delegate = world.delegate
                controller.sidebar.delegate = world.delegate
                try world.add(controller, name)
            }
        },
        "split": { world, words in
            let styles: [String: UISplitViewController.Style] = [
                "double": .doubleColumn, "triple": .tripleColumn, "classic": .unspecified,
            ]
            let name = try words.word()
            guard let style = styles[name] else { throw CaseFault("split double, triple or classic, not '\(name)'") }
            let split =
                style == .unspecified
                ? UISplitViewController(nibName: nil, bundle: nil) : UISplitViewController(style: style)
            split.delegate = world.splitDelegate
            try world.add(split, "split")
            if style == .unspecified { split.viewControllers = try words.objects() }
            while !words.isEmpty {
                let column = try words.value(UISplitViewController.Column.self)
                split.setViewController(try world.controller("\(column)"), for: column)
            }
        },
        "connect": { world, words in
            let name = try words.word()
            let frame = words.isEmpty ? nil : try words.value(CGRect.self)
            try world.add(world.system().connect(frame: frame), name)
        },
    ]

    static let observables: [String: Observable] = [
        "calls": { world, _ in world.drainedCalls().listed },
        "decided": { world, _ in world.drainedDecisions().listed },
        // The view controllers that are visible; and what of their views and calls says something else.
        "visible": { world, _ in
            let visible = world.controllers.filter(\.isVisible)
            let inWindow = world.controllers.filter { $0.viewIfLoaded?.window?.isHidden == false }
            let uneven = world.controllers.filter { $0.appearances != ($0.isVisible ? 1 : 0) }
            let texts = [
                visible.titles, inWindow == visible ? "" : "but in a window: \(inWindow.titles)",
                uneven.isEmpty ? "" : "with uneven calls: \(uneven.titles)",
            ]
            let all = texts.filter { !$0.isEmpty }.joined(separator: ", ")
            return all.isEmpty ? "none" : all
        },
        "device": { _, _ in "\(UIDevice.current.orientation)" },
        "engineScenes": { world, _ in "\(try world.system().statistics.scenes)" },
        // How often a constraint was reported as the one that is not applied.
        "leftOut": { world, words in
            let name = try words.word()
            guard let constraint = try world.object(name) as? NSLayoutConstraint else {
                throw CaseFault("no constraint")
            }
            let text = "\(constraint.text), which was activated last"
            return "\(name) \(try world.system().messages.count { $0.contains(text) })"
        },
        "scenes": { world, _ in "\(try world.system().scenes.count)" },
        "rebuilds": { world, _ in
            let rebuilds = world.drainedDecisions().filter { $0.contains("rebuild ") }
            return rebuilds.map { $0.replacingOccurrences(of: "rebuild ", with: "") }.listed
        },
        "logged": { world, words in
            _ = try words.word()
            let text = words.all()
            return "\(try world.system().messages.count { $0.contains(text) }) \(text)"
        },
        "refused": { world, words in
            let halves = words.all().components(separatedBy: ": ")
            guard halves.count == 2 else { throw CaseFault("refused TEXT: ACTION") }
            do {
                try world.act(halves[1])
                return "none: \(halves[1])"
            } catch {
                return "\(error)".contains(halves[0]) && !(error is CaseFault)
                    ? halves.joined(separator: ": ") : "\(error): \(halves[1])"
            }
        },
    ]

    /// A tab from `name`, `name:placement`, `name=controller` or `name(tab,tab)`.
    func tab(_ text: String) throws -> UITab {
        if let open = text.firstIndex(of: "("), text.last == ")" {
            let children = try text[open...].dropFirst().dropLast().split(separator: ",").map {
                try self.tab(String($0))
            }
            let name = String(text[..<open])
            let group = UITabGroup(title: name, image: nil, identifier: name, children: children) { _ in
                CaseController(name)
            }
            try add(group, name)
            return group
        }
        if let tab = objects[text] as? UITab { return tab }
        let parts = text.split(separator: ":").map(String.init)
        let halves = parts[0].split(separator: "=").map(String.init)
        let (name, pane) = (halves[0], try halves.dropFirst().first.map(controller))
        let tab = UITab(title: name, image: nil, identifier: name) { _ in pane ?? CaseController(name) }
        if parts.count > 1 {
            var words = Words(parts[1], self)
            tab.preferredPlacement = try words.value()
        }
        try add(tab, name)
        return tab
    }
}

extension [String] {
    fileprivate var listed: String { isEmpty ? "none" : joined(separator: ", ") }
}
