import UIKit
import XCTest

/// A view controller that records calls in `DelegateCalls`, under its name.
class LoggingController: UIViewController {
    let name: String

    init(_ name: String) {
        self.name = name
        super.init(nibName: nil, bundle: nil)
        title = name
    }

    required init?(coder: NSCoder) { nil }

    func record(_ call: String) { DelegateCalls.all.append("\(name) \(call)") }
}

extension UIViewController {
    /// Adds a child and its view, to this one's view or to one within it.
    func embed(_ child: UIViewController, in container: UIView? = nil) {
        addChild(child)
        (container ?? view).addSubview(child.view)
        child.didMove(toParent: self)
    }
}

/// Records what a container makes of it.
class NamedController: LoggingController {
    var transitions: [CGSize] = []
    var layouts = 0
    var loads = 0
    /// Runs in each call of its appearance, after it was recorded.
    var onAppearance: (String) -> Void = { _ in }

    override func viewDidLoad() {
        super.viewDidLoad()
        loads += 1
        record("loaded")
    }
    override func viewWillAppear(_ animated: Bool) { recordAppearance("will appear") }
    override func viewIsAppearing(_ animated: Bool) { onAppearance("is appearing") }
    override func viewDidAppear(_ animated: Bool) { recordAppearance("appeared") }
    override func viewWillDisappear(_ animated: Bool) { recordAppearance("will disappear") }
    override func viewDidDisappear(_ animated: Bool) { recordAppearance("disappeared") }
    private func recordAppearance(_ call: String) {
        record(call)
        onAppearance(call)
    }
    override func willMove(toParent parent: UIViewController?) { record(parent == nil ? "will leave" : "will enter") }
    override func didMove(toParent parent: UIViewController?) { record(parent == nil ? "left" : "entered") }
    override func viewDidLayoutSubviews() { layouts += 1 }
    override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        super.viewWillTransition(to: size, with: coordinator)
        transitions.append(size)
    }
}

extension TestApp {
    /// A launched app whose scene is a window of that size.
    convenience init(_ platform: UISystem.Platform, _ width: CGFloat, _ height: CGFloat) throws {
        try self.init(platform: platform)
        try system.launch(PlainAppDelegate.self)
        try resize(width, height)
        DelegateCalls.all = []
    }
}

extension Sequence where Element: UIViewController {
    /// The titles, joined.
    @MainActor var titles: String { map { $0.title ?? "-" }.joined(separator: " ") }
}
