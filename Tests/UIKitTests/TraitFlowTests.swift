import Settle
import XCTest

@testable import UIKit

/// A trait of an app.
private enum ReadingTrait: UITraitDefinition {
    static let defaultValue = false
}

extension UITraitCollection {
    fileprivate var isReading: Bool { self[ReadingTrait.self] }
}

/// Who is notified of which traits, and when.
@MainActor final class TraitFlowTests: XCTestCase {
    /// Records the calls about traits.
    private final class Controller: UIViewController {
        var calls: [String] = []

        override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
            calls.append("did \(previousTraitCollection!.horizontalSizeClass) \(traitCollection.horizontalSizeClass)")
        }
        override func willTransition(
            to newCollection: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
        ) {
            super.willTransition(to: newCollection, with: coordinator)
            calls.append("will \(traitCollection.horizontalSizeClass) \(newCollection.horizontalSizeClass)")
        }
        override func viewWillTransition(
            to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
        ) {
            super.viewWillTransition(to: size, with: coordinator)
            calls.append("size \(Int(size.width))")
        }
        override func viewDidLayoutSubviews() { calls.append("laid out \(Int(view.bounds.width))") }

        func drain() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    /// A container that changes a trait for its children.
    private final class Container: UIViewController {
        var isCompact = true { didSet { setNeedsUpdate() } }
        private func setNeedsUpdate() {
            for child in children {
                setOverrideTraitCollection(
                    isCompact ? UITraitCollection(horizontalSizeClass: .compact) : nil, forChild: child)
            }
        }
    }

    private func app(_ controller: UIViewController, platform: UISystem.Platform = .pad) throws -> TestApp {
        let app = try TestApp(platform: platform).launched()
        UIWindow.show(controller, in: app.scene)
        return app
    }

    // MARK: The flow

    func testEqualTraitsShareOneObject() async throws {
        let root = Controller()
        let app = try app(root)
        let child = UIView(frame: .zero)
        root.view.addSubview(child)
        try app.resize(900, 700)
        let before = root.traitCollection
        XCTAssertTrue(child.traitCollection === before)
        XCTAssertTrue(app.scene.traitCollection === before)
        try app.resize(901, 702)
        XCTAssertTrue(root.traitCollection === before, "a size that changes no trait makes none")
        let other = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        XCTAssertTrue(other.traitCollection === before)
    }

    func testManyChangesTogetherAreOne() async throws {
        let root = Controller()
        let app = try app(root)
        _ = root.drain()
        let id = app.system.identity(of: app.scene)
        let events = [500.0, 900, 400, 550].map { Event.at(1, id, Size($0, 700)) }
        events.withUnsafeBufferPointer { app.system.submit(Span(_unsafeElements: $0)) }
        assertText(root.drain(), "will regular compact, size 550, did regular compact, laid out 550")
    }

    func testParentsAreNotifiedBeforeChildren() async throws {
        let (root, child) = (Controller(), Controller())
        let app = try app(root)
        app.turn { root.embed(child) }
        var order: [String] = []
        root.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (_: Controller, _) in order.append("root") }
        child.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (_: Controller, _) in order.append("child") }
        try app.resize(500, 700)
        XCTAssertEqual(order, ["root", "child"])
        XCTAssertEqual(child.traitCollection.horizontalSizeClass, .compact)
    }

    // MARK: Registration

    /// The form in which apps write it.
    private class Registering: UIView {
        var received: [UIUserInterfaceSizeClass] = []
        override init(frame: CGRect) {
            super.init(frame: frame)
            registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (self: Self, previous: UITraitCollection) in
                self.received.append(previous.horizontalSizeClass)
            }
        }
        required init?(coder: NSCoder) { nil }
    }

    func testAHandlerIsCalledOnceForItsTraitsOnly() async throws {
        final class Derived: Registering {}
        let root = UIViewController()
        let app = try app(root)
        let view = Derived(frame: .zero)
        app.turn { root.view.addSubview(view) }
        XCTAssertEqual(view.received, [], "it enters a window with the traits that it had")
        app.turn { view.traitOverrides.userInterfaceStyle = .dark }
        XCTAssertEqual(view.received, [], "another trait")
        try app.resize(500, 700)
        XCTAssertEqual(view.received, [.regular])
        try app.resize(900, 700)
        XCTAssertEqual(view.received, [.regular, .compact])
    }

    func testAnEndedRegistrationIsNotCalled() async throws {
        let root = UIViewController()
        let app = try app(root)
        var received: [Int] = []
        var second: (any UITraitChangeRegistration)?
        let first = root.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (root: UIViewController, _) in
            received.append(1)
            if let second { root.unregisterForTraitChanges(second) }
        }
        second = root.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (_: UIViewController, _) in
            received.append(2)
        }
        try app.resize(500, 700)
        XCTAssertEqual(received, [1], "the first has ended the second in the same turn")
        for _ in 0..<2 { root.unregisterForTraitChanges(first) }
        try app.resize(900, 700)
        XCTAssertEqual(received, [1])
    }

    func testScenesNotifyToo() async throws {
        let app = try app(UIViewController())
        var received: [UIUserInterfaceSizeClass] = []
        app.scene.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { (scene: UIWindowScene, previous) in
            received += [previous.horizontalSizeClass, scene.traitCollection.horizontalSizeClass]
            XCTAssertEqual(UITraitCollection.current, scene.traitCollection, "current in the handler")
        }
        try app.resize(500, 700)
        XCTAssertEqual(received, [.regular, .compact])
    }

    // MARK: Overrides

    func testAnOverrideWithTheDefaultIsNoChange() async throws {
        let root = Controller()
        let app = try app(root)
        app.turn()
        let before = root.traitCollection
        var received = 0
        root.registerForTraitChanges([ReadingTrait.self, UITraitSplitViewControllerLayoutEnvironment.self]) {
            (_: Controller, _) in received += 1
        }
        root.traitOverrides[ReadingTrait.self] = false
        app.turn { root.traitOverrides.splitViewControllerLayoutEnvironment = .none }
        XCTAssertTrue(root.traitOverrides.contains(ReadingTrait.self))
        XCTAssertIdentical(root.traitCollection, before)
        app.turn { root.traitOverrides.remove(ReadingTrait.self) }
        XCTAssertEqual(received, 0)
    }

    func testOverridesFlowDownAndAreTakenBack() async throws {
        let root = Controller()
        let app = try app(root)
        let (outer, inner) = (UIView(frame: .zero), UIView(frame: .zero))
        root.view.addSubview(outer)
        app.turn { outer.addSubview(inner) }
        var received = 0
        inner.registerForTraitChanges([ReadingTrait.self]) { (_: UIView, _) in received += 1 }
        outer.traitOverrides[ReadingTrait.self] = true
        XCTAssertTrue(inner.traitCollection.isReading, "at once for who asks")
        XCTAssertEqual(received, 0)
        app.turn()
        XCTAssertEqual(received, 1)
        XCTAssertFalse(root.traitCollection.isReading)
        XCTAssertTrue(outer.traitOverrides.contains(ReadingTrait.self))
        outer.traitOverrides.remove(ReadingTrait.self)
        outer.updateTraitsIfNeeded()
        XCTAssertEqual(received, 2)
        XCTAssertFalse(inner.traitCollection.isReading)
        XCTAssertTrue(inner.traitCollection === root.traitCollection)
    }

    func testOverridesOfScenesAndControllers() async throws {
        let (root, child) = (Controller(), Controller())
        let app = try app(root)
        root.embed(child)
        app.scene.traitOverrides.userInterfaceStyle = .dark
        app.turn { root.traitOverrides.horizontalSizeClass = .compact }
        XCTAssertEqual(child.view.traitCollection.userInterfaceStyle, .dark)
        XCTAssertEqual(child.view.traitCollection.horizontalSizeClass, .compact)
        XCTAssertEqual(app.scene.traitCollection.horizontalSizeClass, .regular)
        try app.resize(500, 700)
        try app.resize(900, 700)
        XCTAssertEqual(child.traitCollection.horizontalSizeClass, .compact, "whatever the scene has")
    }

    func testAContainerChangesAChildsTraits() async throws {
        let (root, child) = (Container(), Controller())
        let app = try app(root)
        root.addChild(child)
        root.view.addSubview(child.view)
        app.turn { root.isCompact = true }
        XCTAssertEqual(child.traitCollection.horizontalSizeClass, .compact)
        XCTAssertEqual(root.overrideTraitCollection(forChild: child)?.horizontalSizeClass, .compact)
        XCTAssertEqual(child.view.traitCollection.horizontalSizeClass, .compact)
        XCTAssertEqual(root.view.traitCollection.horizontalSizeClass, .regular)
        _ = child.drain()
        app.turn { root.isCompact = false }
        XCTAssertEqual(child.drain().filter { !$0.hasPrefix("laid") }, ["will compact regular", "did compact regular"])
    }

    func testTraitsAreRightWhenAControllerAppears() async throws {
        final class Asking: UIViewController {
            var seen: [UIUserInterfaceSizeClass] = []
            override func viewIsAppearing(_ animated: Bool) { seen.append(traitCollection.horizontalSizeClass) }
            override func viewDidAppear(_ animated: Bool) { seen.append(view.traitCollection.horizontalSizeClass) }
        }
        let root = Controller()
        let app = try app(root)
        try app.resize(500, 700)
        let child = Asking()
        app.turn { root.embed(child) }
        XCTAssertEqual(child.seen, [.compact, .compact])
    }

    // MARK: Callbacks that change traits

    func testAHandlerThatChangesTraitsIsServedInTheSameTurn() async throws {
        let (root, child) = (Controller(), Controller())
        let app = try app(root)
        app.turn { root.embed(child) }
        root.registerForTraitChanges([UITraitHorizontalSizeClass.self]) { [unowned child] (root: Controller, _) in
            child.traitOverrides[ReadingTrait.self] = root.traitCollection.horizontalSizeClass == .compact
        }
        try app.resize(500, 700)
        XCTAssertTrue(child.view.traitCollection.isReading)
        try app.resize(900, 700)
        XCTAssertFalse(child.view.traitCollection.isReading)
    }

    func testWhatCallbacksDoNotCauseIsNotCounted() async throws {
        let root = Controller()
        let app = try app(root)
        app.turn()
        var received = 0
        func checkLoops(_ message: String) {
            received = 0
            for _ in 0..<150 {
                root.view.addSubview(UIView())
                root.view.layoutIfNeeded()
            }
            let view = UIView()
            view.registerForTraitChanges([UITraitUserInterfaceStyle.self]) { (_: UIView, _) in received += 1 }
            root.view.addSubview(view)
            for index in 0..<150 {
                view.overrideUserInterfaceStyle = index.isMultiple(of: 2) ? .dark : .light
                root.view.layoutIfNeeded()
            }
            XCTAssertEqual(received, 150, message)
        }
        checkLoops("outside of callbacks")
        app.system.turn.perform { checkLoops("in one call") }
        XCTAssertEqual(app.system.messages, [])
    }

    func testEndlessChangesAlongsideTransitionsAreBounded() async throws {
        final class Flipping: UIViewController {
            var count = 0
            override func willTransition(
                to newCollection: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
            ) {
                count += 1
                coordinator.animate { _ in
                    self.traitOverrides[ReadingTrait.self] = !self.traitCollection.isReading
                    if self.count.isMultiple(of: 2) { self.updateTraitsIfNeeded() }
                }
            }
        }
        let root = Flipping()
        let app = try app(root)
        try app.resize(500, 700)
        XCTAssertGreaterThan(root.count, 50)
        XCTAssertLessThanOrEqual(root.count, 110)
        XCTAssertEqual(app.system.messages.count { $0.contains("traits") }, 1)
    }

    func testEndlessChangesAreBoundedAndLogged() async throws {
        let root = Controller()
        let app = try app(root)
        var received = 0
        root.registerForTraitChanges([ReadingTrait.self]) { (root: Controller, _) in
            received += 1
            root.traitOverrides[ReadingTrait.self] = !root.traitCollection.isReading
        }
        app.turn { root.traitOverrides[ReadingTrait.self] = true }
        XCTAssertGreaterThan(received, 1)
        XCTAssertLessThanOrEqual(received, 1000)
        XCTAssertEqual(app.system.messages.count { $0.contains("traits") }, 1)
    }
}
