import UIKit
import XCTest

/// Runs a test's code in one of its callbacks, once, and knows whether it is visible.
final class HookedController: NamedController {
    var at: [String: () -> Void] = [:]
    /// The calls of its appearance.
    var calls: [String] = []
    private(set) var isVisible = false

    private func run(_ callback: String) { at.removeValue(forKey: callback)?() }

    private func appearance(_ call: String) {
        calls.append(call)
        run(call)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        run("loaded")
    }
    override func viewWillAppear(_ animated: Bool) { appearance("will appear") }
    override func viewIsAppearing(_ animated: Bool) { appearance("is appearing") }
    override func viewDidAppear(_ animated: Bool) {
        isVisible = true
        appearance("appeared")
    }
    override func viewWillDisappear(_ animated: Bool) { appearance("will disappear") }
    override func viewDidDisappear(_ animated: Bool) {
        isVisible = false
        appearance("disappeared")
    }
    override func willMove(toParent parent: UIViewController?) {
        super.willMove(toParent: parent)
        run(parent == nil ? "will leave" : "will enter")
    }
    override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        super.viewWillTransition(to: size, with: coordinator)
        run("transition")
    }
    override func viewSafeAreaInsetsDidChange() {
        super.viewSafeAreaInsetsDidChange()
        run("safe area")
    }
}

/// Checks that exactly one of these is visible, and has its view in a window.
@MainActor func checkShown(
    _ shown: String, of all: [HookedController], _ message: String = "", line: UInt = #line
) {
    XCTAssertEqual(all.filter(\.isVisible).titles, shown, "visible \(message)", line: line)
    XCTAssertEqual(all.filter { $0.viewIfLoaded?.window != nil }.titles, shown, "in a window \(message)", line: line)
    for controller in all {
        let isEven =
            controller.calls.filter { $0 == "will appear" }.count
            == controller.calls.filter {
                $0 == "will disappear"
            }.count
        XCTAssertEqual(isEven, controller.title != shown, "\(controller.name): \(controller.calls)", line: line)
    }
}

@MainActor func hooked(_ names: String...) -> [HookedController] { names.map { HookedController($0) } }
