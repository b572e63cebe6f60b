import UIKit
import XCTest

/// A view that records its layouts in `DelegateCalls`.
class RecordingView: UIView {
    var name = ""
    var onLayout: (RecordingView) -> Void = { _ in }
    private(set) var layouts = 0

    convenience init(_ name: String, frame: CGRect = .zero) {
        self.init(frame: frame)
        self.name = name
    }

    override func updateConstraints() {
        DelegateCalls.all.append("\(name) constraints")
        super.updateConstraints()
    }

    override func layoutSubviews() {
        layouts += 1
        DelegateCalls.all.append("\(name) layout \(bounds.size.text)")
        onLayout(self)
    }
}

/// A view controller that records its calls in `DelegateCalls`, and fills its view with
/// the views of its children, side by side.
class RecordingController: LoggingController {
    var onTransition: (CGSize, any UIViewControllerTransitionCoordinator) -> Void = { _, _ in }

    var recordingView: RecordingView { view as! RecordingView }

    override func loadView() {
        let view = RecordingView(name)
        view.onLayout = { [unowned self] view in
            for (index, child) in children.enumerated() {
                let width = view.bounds.width / CGFloat(children.count)
                child.view.frame = CGRect(CGFloat(index) * width, 0, width, view.bounds.height)
            }
        }
        self.view = view
    }

    override func size(
        forChildContentContainer container: any UIContentContainer, withParentContainerSize parentSize: CGSize
    ) -> CGSize {
        CGSize(parentSize.width / CGFloat(children.count), parentSize.height)
    }

    override func viewWillTransition(
        to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
    ) {
        record("transition \(view.bounds.size.text) to \(size.text)")
        onTransition(size, coordinator)
        super.viewWillTransition(to: size, with: coordinator)
    }
    override func viewWillAppear(_ animated: Bool) { record("will appear") }
    override func viewIsAppearing(_ animated: Bool) { record("is appearing \(view.bounds.size.text)") }
    override func viewDidAppear(_ animated: Bool) { record("appeared") }
    override func viewWillLayoutSubviews() { record("will layout") }
    override func viewDidLayoutSubviews() { record("did layout") }
    override func viewSizeDidSettle(_ size: CGSize) { record("settled \(size.text)") }
}

/// A root view, whose frame the test sets, for tests of constraints.
@MainActor class ConstraintTestCase: XCTestCase {
    let root = UIView(frame: CGRect(0, 0, 300, 200))

    /// A view in the root, or in another one, whose frame constraints decide.
    func view(in superview: UIView? = nil) -> UIView {
        let view = UIView(frame: .zero)
        view.translatesAutoresizingMaskIntoConstraints = false
        (superview ?? root).addSubview(view)
        return view
    }

    func layOut() {
        root.setNeedsLayout()
        root.layoutIfNeeded()
    }
}

extension UIWindow {
    /// A key window of a scene that shows a view controller.
    @discardableResult
    static func show(_ root: UIViewController, in scene: UIWindowScene) -> UIWindow {
        let window = UIWindow(windowScene: scene)
        window.rootViewController = root
        window.makeKeyAndVisible()
        return window
    }
}

extension TestApp {
    /// Shows a view controller in a window of the scene, and drops the calls until then.
    @discardableResult
    func show(_ controller: UIViewController, isHidden: Bool = false) -> UIWindow {
        let window = UIWindow(windowScene: scene)
        window.rootViewController = controller
        if !isHidden { window.makeKeyAndVisible() }
        DelegateCalls.all = []
        return window
    }

    /// Shows a view controller as `show` does, and returns it.
    func showing<Controller: UIViewController>(_ controller: Controller) -> Controller {
        show(controller)
        return controller
    }
}
