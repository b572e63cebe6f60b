import UIKit
import XCTest

/// Records its appearance, sizes, traits and layout in `DelegateCalls`, each with the width of its view.
final class OrderController: LoggingController {
    private var width: Int { Int(view.bounds.width) }

    override func viewWillAppear(_ animated: Bool) { record("willAppear") }
    override func viewIsAppearing(_ animated: Bool) { record("isAppearing \(width)") }
    override func viewDidAppear(_ animated: Bool) { record("didAppear \(width)") }
    override func viewWillDisappear(_ animated: Bool) { record("willDisappear") }
    override func viewDidDisappear(_ animated: Bool) { record("didDisappear") }
    override func viewSafeAreaInsetsDidChange() { record("safeArea") }
    override func viewDidLayoutSubviews() { record("layout \(width)") }
    override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        record("size \(Int(size.width))")
        super.viewWillTransition(to: size, with: coordinator)
    }
    override func willTransition(
        to newCollection: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
    ) {
        record("willTraits \(newCollection.horizontalSizeClass.text), has \(traitCollection.horizontalSizeClass.text)")
        super.willTransition(to: newCollection, with: coordinator)
    }
    override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
        record("traits \(traitCollection.horizontalSizeClass.text)")
    }
}

extension UIUserInterfaceSizeClass {
    fileprivate var text: String { self == .compact ? "compact" : "regular" }
}

extension [String] {
    /// The calls of one controller, without its name.
    func of(_ name: String) -> [String] {
        filter { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
