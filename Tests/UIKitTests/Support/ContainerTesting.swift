import UIKit
import XCTest

/// Records what a container makes of it, in `DelegateCalls`.
class NamedController: UIViewController {
    let name: String
    var transitions: [CGSize] = []
    var layouts = 0
    var loads = 0
    /// Runs in each call of its appearance, after it was recorded.
    var onAppearance: (String) -> Void = { _ in }

    init(_ name: String) {
        self.name = name
        super.init(nibName: nil, bundle: nil)
        title = name
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        loads += 1
        DelegateCalls.all.append("\(name) loaded")
    }
    override func viewWillAppear(_ animated: Bool) { record("will appear") }
    override func viewIsAppearing(_ animated: Bool) { onAppearance("is appearing") }
    override func viewDidAppear(_ animated: Bool) { record("appeared") }
    override func viewWillDisappear(_ animated: Bool) { record("will disappear") }
    override func viewDidDisappear(_ animated: Bool) { record("disappeared") }
    private func record(_ call: String) {
        DelegateCalls.all.append("\(name) \(call)")
        onAppearance(call)
    }
    override func willMove(toParent parent: UIViewController?) {
        DelegateCalls.all.append("\(name) \(parent == nil ? "will leave" : "will enter")")
    }
    override func didMove(toParent parent: UIViewController?) {
        DelegateCalls.all.append("\(name) \(parent == nil ? "left" : "entered")")
    }
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
