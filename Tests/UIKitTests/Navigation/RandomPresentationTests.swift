import TestSupport
import UIKit
import XCTest

/// Presentations and dismissals at random, also in the callbacks of others.
@MainActor final class RandomPresentationTests: XCTestCase {
    private static let styles: [UIModalPresentationStyle] = [.fullScreen, .pageSheet, .overFullScreen, .none]

    func testTheWindowShowsWhatIsPresentedWhateverTheCallbacksDo() async throws {
        for seed: UInt64 in 0..<60 {
            var random = SplitMix64(seed: seed)
            let app = try TestApp(.pad, 1000, 800)
            let all = ["root", "a", "b", "c", "d"].map { NamedController($0) }
            let window = app.show(all[0])
            DelegateCalls.all = ["root will appear", "root appeared"]
            var budget = 0
            func act() {
                let one = all.randomElement(using: &random)!
                guard Bool.random(using: &random) else { return one.dismiss(animated: false) }
                let other = all[1...].randomElement(using: &random)!
                guard other !== one, other.presentingViewController == nil else { return }
                other.modalPresentationStyle = Self.styles.randomElement(using: &random)!
                one.present(other, animated: false)
            }
            for controller in all {
                controller.onAppearance = { [unowned controller] call in
                    let isLeaving = call.contains("disappear")
                    XCTAssertTrue(
                        isLeaving || controller.view.window != nil, "seed \(seed): \(controller.name) \(call)")
                    guard budget > 0, Int.random(in: 0..<3, using: &random) == 0 else { return }
                    budget -= 1
                    act()
                }
            }
            for step in 0..<40 {
                budget = 3
                if Int.random(in: 0..<8, using: &random) == 0 {
                    try app.system.bring(app.scene, to: .background)
                    try app.system.bring(app.scene, to: .foregroundActive)
                } else {
                    act()
                }
                let shown = shown(above: all[0])
                let text = "seed \(seed), step \(step)"
                XCTAssertEqual(window.subviews, shown.map { $0.view! }, text)
                for controller in all {
                    let isShown = shown.contains { $0 === controller }
                    XCTAssertEqual(fault(of: controller.name, isShown: isShown), nil, text)
                    XCTAssertFalse(controller.isBeingPresented || controller.isBeingDismissed, text)
                }
            }
            for controller in all { controller.onAppearance = { _ in } }
        }
    }

    /// The last one that covers the window, and all above.
    private func shown(above root: NamedController) -> [UIViewController] {
        var shown: [UIViewController] = [root]
        while let next = shown.last?.presentedViewController {
            if [.fullScreen, .none].contains(next.modalPresentationStyle) { shown = [] }
            shown.append(next)
        }
        return shown
    }

    /// What is wrong in the calls that a controller got; `nil` for nothing.
    private func fault(of name: String, isShown: Bool) -> String? {
        var last = "disappeared"
        for call in DelegateCalls.all where call.hasPrefix("\(name) ") {
            let next = String(call.dropFirst(name.count + 1))
            switch (last, next) {
            case (_, "loaded"): continue
            case ("disappeared", "will appear"), ("will appear", "appeared"), ("will appear", "will disappear"),
                ("appeared", "will disappear"), ("will disappear", "disappeared"):
                last = next
            default: return "\(name) \(next) after \(last)"
            }
        }
        return last == (isShown ? "appeared" : "disappeared") ? nil : "\(name) has \(last)"
    }
}
