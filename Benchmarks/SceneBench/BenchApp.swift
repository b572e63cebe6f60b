import Settle
import UIKit

/// An app with many scenes, each under drag, and ready events for them.
@MainActor final class BenchApp {
    struct Run {
        var nanosecondsPerEvent: Double
        var callbacks: Int
        /// Of the whole run; `nil` without a counter.
        var allocations: Int?
        /// Of the sizes in the callbacks.
        var hash: String
    }

    let system: UISystem
    let scenes: [UIWindowScene]
    /// The root controllers; empty for scenes without windows.
    private let controllers: [BenchController]
    private let identities: [SceneID]
    /// Grows with each run, so that each run has new sizes.
    private var round = 0

    init(scenes count: Int, hasControllers: Bool = false, usesMargins: Bool = false) throws {
        (system, scenes) = try Self.launch(scenes: count)
        identities = scenes.map(system.identity(of:))
        controllers = hasControllers ? scenes.map { BenchController(in: $0, usesMargins: usesMargins) } : []
        for scene in scenes { try system.beginResize(scene) }
    }

    /// A system with so many scenes, without windows.
    static func launch(scenes count: Int) throws -> (UISystem, [UIWindowScene]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("scene-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let infoPlist = folder.appendingPathComponent("Info.plist")
        let scene = ["UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).BenchSceneDelegate"]
        let manifest: [String: Any] = [
            "UIApplicationSupportsMultipleScenes": true,
            "UISceneConfigurations": [UISceneSession.Role.windowApplication.rawValue: [scene]],
        ]
        try PropertyListSerialization.data(
            fromPropertyList: ["UIApplicationSceneManifest": manifest], format: .xml, options: 0
        ).write(to: infoPlist)
        let system = try UISystem(UISystem.Configuration(infoPlist: infoPlist, scenesMax: count))
        try system.launch(BenchAppDelegate.self)
        for _ in 1..<count { try system.connect() }
        return (system, system.windowScenes)
    }

    func run(_ subject: Subject, events count: Int) -> Run {
        if subject == .marks { return runMarks(count) }
        var events = ready(subject, count)
        BenchSceneDelegate.received = (0, 0)
        let allocations = Allocations.count
        let start = ContinuousClock.now
        switch subject {
        case .delivered, .unchanged, .background, .controller, .margins:
            for index in events.indices { system.submit(events[index]) }
        case .marks: break
        case .together, .coalesced:
            let span = events.span
            for first in stride(from: 0, to: count, by: Subject.batch) {
                system.submit(span.extracting(first..<min(first + Subject.batch, count)))
            }
        }
        let took = ContinuousClock.now - start
        let made = Allocations.count.map { $0 - allocations! }
        events.removeAll()
        let (callbacks, hash) = BenchSceneDelegate.received
        guard callbacks == subject.callbacks(count) else {
            fatalError("\(subject): \(callbacks) callbacks instead of \(subject.callbacks(count))")
        }
        return Run(
            nanosecondsPerEvent: took / .nanoseconds(1) / Double(count), callbacks: callbacks, allocations: made,
            hash: String(hash, radix: 16))
    }

    /// Marks the inner view of each scene in turn. The layout of all is not measured.
    private func runMarks(_ count: Int) -> Run {
        var (took, made) = (Duration.zero, Allocations.count.map { _ in 0 })
        let layouts = BenchController.layouts
        for first in stride(from: 0, to: count, by: controllers.count) {
            let views = controllers.prefix(min(controllers.count, count - first)).map(\.inner)
            let allocations = Allocations.count
            let start = ContinuousClock.now
            for view in views { view.setNeedsLayout() }
            took += ContinuousClock.now - start
            if let allocations { made! += Allocations.count! - allocations }
            system.advance(by: .zero)
        }
        guard BenchInnerView.layouts >= count, BenchController.layouts == layouts else {
            fatalError("marks: \(BenchInnerView.layouts) layouts of \(count) marked views")
        }
        return Run(
            nanosecondsPerEvent: took / .nanoseconds(1) / Double(count), callbacks: 0, allocations: made,
            hash: String(BenchInnerView.layouts, radix: 16))
    }

    /// Events with the times of a mouse at 1000 Hz, made before anything is measured.
    private func ready(_ subject: Subject, _ count: Int) -> [Event] {
        round += 1
        let now = system.now.nanoseconds
        return (0..<count).map { number in
            let scene = subject.scene(number, of: identities.count)
            let isNew = subject != .unchanged
            let turn = isNew ? round * 1000 + number / identities.count + number % Subject.batch : 0
            let known = scenes[scene].effectiveGeometry.coordinateSpace.bounds.size
            // The widths are of one size class: another one would change the traits, too.
            let size = isNew ? Size(width: Double(700 + turn % 713), height: Double(300 + turn % 7)) : Size(known)
            return .geometry(
                identities[scene], at: Timestamp(nanoseconds: now + UInt64(number) * 100), size: size,
                isInteractivelyResizing: true)
        }
    }
}

/// Leaves everything to the Info.plist.
final class BenchAppDelegate: UIResponder, UIApplicationDelegate {}

/// Fills its view with an inner one.
final class BenchController: UIViewController {
    static var layouts = 0
    let inner = BenchInnerView()

    private let usesMargins: Bool

    init(usesMargins: Bool) {
        self.usesMargins = usesMargins
        super.init(nibName: nil, bundle: nil)
    }

    convenience init(in scene: UIWindowScene, usesMargins: Bool) {
        self.init(usesMargins: usesMargins)
        let window = UIWindow(windowScene: scene)
        window.rootViewController = self
        window.makeKeyAndVisible()
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        view.addSubview(inner)
        guard usesMargins else {
            inner.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            return
        }
        inner.translatesAutoresizingMaskIntoConstraints = false
        let guide: UILayoutGuide = view.layoutMarginsGuide
        NSLayoutConstraint.activate([
            inner.topAnchor.constraint(equalTo: guide.topAnchor),
            inner.leadingAnchor.constraint(equalTo: guide.leadingAnchor),
            inner.bottomAnchor.constraint(equalTo: guide.bottomAnchor),
            inner.trailingAnchor.constraint(equalTo: guide.trailingAnchor),
        ])
    }

    override func viewDidLayoutSubviews() { Self.layouts += 1 }
}

/// Counts its layouts.
final class BenchInnerView: UIView {
    static var layouts = 0

    override func layoutSubviews() { Self.layouts += 1 }
}

/// Counts its callbacks and hashes their sizes, which the compiler then cannot remove.
final class BenchSceneDelegate: UIResponder, UIWindowSceneDelegate {
    static var received: (callbacks: Int, hash: UInt64) = (0, 0)

    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry
    ) {
        let geometry = windowScene.effectiveGeometry
        Self.received.callbacks += 1
        Self.received.hash =
            (Self.received.hash ^ UInt64(geometry.coordinateSpace.bounds.size.width)) &* 0x100_0000_01B3
    }
}

extension Size {
    fileprivate init(_ size: CGSize) { self.init(width: size.width, height: size.height) }
}
