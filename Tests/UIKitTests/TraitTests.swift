import UIKit
import XCTest

/// A trait of an app.
private enum ReadingTrait: UITraitDefinition {
    static let defaultValue = false
}

/// A trait whose values cannot be compared.
private enum ActionTrait: UITraitDefinition {
    static var defaultValue: () -> Int { { 0 } }
}

extension UIMutableTraits {
    fileprivate var isReading: Bool {
        get { self[ReadingTrait.self] }
        set { self[ReadingTrait.self] = newValue }
    }
}

extension UITraitCollection {
    fileprivate var isReading: Bool { self[ReadingTrait.self] }
}

/// What another thread has seen.
private final class LockedList: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [UITraitCollection] = []

    func add(_ traits: UITraitCollection) { lock.withLock { list.append(traits) } }
    var all: [UITraitCollection] { lock.withLock { list } }
}

/// The values of traits, and those that the system sets for a scene.
@MainActor final class TraitTests: XCTestCase {
    private func app(_ controller: UIViewController, platform: UISystem.Platform = .pad) throws -> TestApp {
        let app = try TestApp(platform: platform).launched()
        UIWindow.show(controller, in: app.scene)
        return app
    }

    private final class Noticing: UIView {
        var previous: [UITraitCollection?] = []
        override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
            previous.append(previousTraitCollection)
        }
    }

    /// An override is a change from what the view had, whether or not anybody had asked for that.
    func testAnOverrideIsAChangeFromWhatTheViewHad() async throws {
        let controller = UIViewController()
        let app = try app(controller)
        for isAsked in [false, true] {
            let view = Noticing(frame: .zero)
            controller.view.addSubview(view)
            if isAsked { XCTAssertFalse(view.traitCollection.isReading) }
            view.traitOverrides.isReading = true
            app.system.advance(by: .seconds(1))
            XCTAssertEqual(view.previous.map { $0?.isReading }, [false], "asked: \(isAsked)")
            XCTAssertTrue(view.traitCollection.isReading)
            view.traitOverrides.isReading = false
            app.system.advance(by: .seconds(1))
            XCTAssertEqual(view.previous.map { $0?.isReading }, [false, true], "asked: \(isAsked)")
        }
    }

    // MARK: Collections

    func testTheRawValues() async throws {
        XCTAssertEqual([UIUserInterfaceSizeClass.unspecified, .compact, .regular].map(\.rawValue), [0, 1, 2])
        XCTAssertEqual(
            [UITraitEnvironmentLayoutDirection.unspecified, .leftToRight, .rightToLeft].map(\.rawValue), [-1, 0, 1])
        XCTAssertEqual([UIUserInterfaceStyle.unspecified, .light, .dark].map(\.rawValue), [0, 1, 2])
        XCTAssertEqual(
            [UISplitViewController.LayoutEnvironment.none, .expanded, .collapsed].map(\.rawValue), [0, 1, 2])
    }

    func testCollectionsAreEqualByValue() async throws {
        let a = UITraitCollection(horizontalSizeClass: .compact)
        let b = UITraitCollection(horizontalSizeClass: .compact)
        XCTAssertEqual(a, b)
        XCTAssertEqual(a.hash, b.hash)
        XCTAssertNotEqual(a, UITraitCollection(horizontalSizeClass: .regular))
        XCTAssertNotEqual(a, UITraitCollection(verticalSizeClass: .compact))
        XCTAssertEqual(UITraitCollection(horizontalSizeClass: .unspecified), UITraitCollection())
        let both = UITraitCollection(traitsFrom: [a, UITraitCollection(userInterfaceStyle: .dark)])
        XCTAssertTrue(both.containsTraits(in: a))
        XCTAssertFalse(a.containsTraits(in: both))
        XCTAssertTrue(a.containsTraits(in: nil))
        XCTAssertEqual(both.userInterfaceStyle, .dark)
        XCTAssertTrue(both.hasDifferentColorAppearance(comparedTo: a))
        XCTAssertEqual(
            UITraitCollection(traitsFrom: [a, UITraitCollection(horizontalSizeClass: .regular)]).horizontalSizeClass,
            .regular, "the later one")
    }

    func testWhatIsNotSpecifiedHasItsDefault() async throws {
        let empty = UITraitCollection()
        XCTAssertEqual(empty.horizontalSizeClass, .unspecified)
        XCTAssertEqual(empty.layoutDirection, .unspecified)
        XCTAssertEqual(empty.displayScale, 0)
        XCTAssertEqual(empty.splitViewControllerLayoutEnvironment, .none)
        XCTAssertEqual(UITraitSplitViewControllerLayoutEnvironment.defaultValue, .none)
        XCTAssertEqual(UITraitCollection(displayScale: .nan), empty, "a scale that is no number is none")
        XCTAssertFalse(empty.isReading)
    }

    func testMutations() async throws {
        let traits = UITraitCollection {
            $0.userInterfaceIdiom = .pad
            $0.isReading = true
        }
        XCTAssertEqual(traits.userInterfaceIdiom, .pad)
        XCTAssertTrue(traits.isReading)
        let other = traits.modifyingTraits { $0[UITraitVerticalSizeClass.self] = .compact }
        XCTAssertEqual(other.verticalSizeClass, .compact)
        XCTAssertTrue(other.isReading)
        XCTAssertEqual(traits.verticalSizeClass, .unspecified, "immutable")
        XCTAssertEqual(other.replacing(UITraitVerticalSizeClass.self, value: .unspecified), traits)
        let again = UITraitCollection {
            $0.isReading = true
            $0.userInterfaceIdiom = .pad
        }
        XCTAssertEqual(traits, again)
        XCTAssertNotEqual(traits, UITraitCollection { $0.userInterfaceIdiom = .pad })
        let action = UITraitCollection { $0[ActionTrait.self] = { 7 } }
        XCTAssertEqual(action[ActionTrait.self](), 7)
        XCTAssertEqual(action, action)
    }

    // MARK: What the system sets

    func testTheTraitsOfTheViewAreCurrentInItsLayout() async throws {
        final class Styled: UIView {
            var seen: [String] = []
            func see(_ call: String) {
                let isOwn = UITraitCollection.current == traitCollection
                seen.append("\(call) \(UITraitCollection.current.userInterfaceStyle == .dark) \(isOwn)")
            }
            override func layoutSubviews() { see("layout") }
        }
        final class Root: UIViewController {
            let inner = Styled()
            override func loadView() { view = Styled() }
            override func viewWillLayoutSubviews() { see("will") }
            override func viewDidLayoutSubviews() { see("did") }
            func see(_ call: String) { (view as? Styled)?.see(call) }
        }
        let root = Root()
        let app = try app(root)
        root.view.addSubview(root.inner)
        root.view.traitOverrides.userInterfaceStyle = .dark
        app.turn { root.inner.traitOverrides.userInterfaceStyle = .light }
        (root.view as? Styled)?.seen = []
        root.inner.seen = []
        root.view.setNeedsLayout()
        root.inner.setNeedsLayout()
        let chosen = UITraitCollection(userInterfaceIdiom: .phone)
        chosen.performAsCurrent {
            app.turn()
            XCTAssertIdentical(UITraitCollection.current, chosen, "restored")
        }
        XCTAssertEqual((root.view as? Styled)?.seen, ["will true true", "layout true true", "did true true"])
        XCTAssertEqual(root.inner.seen, ["layout false true"])
        XCTAssertEqual(UITraitCollection.current, UIScreen.main.traitCollection)
    }

    func testEachThreadHasItsCurrentTraits() async throws {
        let app = try app(UIViewController(), platform: .phone)
        app.system.rotate(to: .landscapeLeft)
        let (own, inner) = (UITraitCollection(displayScale: 7), UITraitCollection(displayScale: 9))
        let seen = LockedList()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            seen.add(UITraitCollection.current)
            UITraitCollection.current = own
            inner.performAsCurrent { seen.add(UITraitCollection.current) }
            seen.add(UITraitCollection.current)
            isDone.signal()
        }
        isDone.wait()
        XCTAssertEqual(seen.all, [UIScreen.main.traitCollection, inner, own])
        XCTAssertEqual(UITraitCollection.current, UIScreen.main.traitCollection)
    }

    func testAnOverrideOfAnAppsTraitIsThatOfTheInnerOne() async throws {
        let (outer, inner) = (UIViewController(), UIViewController())
        let app = try app(outer)
        outer.embed(inner)
        outer.traitOverrides.isReading = true
        app.turn { inner.traitOverrides.isReading = false }
        XCTAssertTrue(outer.traitCollection.isReading)
        XCTAssertFalse(inner.traitCollection.isReading)
        let both = UITraitCollection(traitsFrom: [
            UITraitCollection { $0.isReading = true }, UITraitCollection { $0.isReading = false },
        ])
        XCTAssertFalse(both.isReading)
    }

    /// A size that no screen has.
    func testAnySizeHasAClass() async throws {
        let app = try app(UIViewController())
        for side: CGFloat in [0, .leastNonzeroMagnitude, 1e300, .infinity, .nan, -5] {
            try? app.resize(side, side)
            XCTAssertNotEqual(app.scene.traitCollection.horizontalSizeClass, .unspecified, "\(side)")
        }
    }
}
