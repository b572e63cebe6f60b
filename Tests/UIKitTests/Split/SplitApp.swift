import Settle
import TestSupport
import XCTest

@testable import UIKit

/// A window scene whose root is a split view controller with a view controller in each column.
@MainActor final class SplitApp {
    let app: TestApp
    let split: UISplitViewController
    let recorder = SplitRecorder()
    private(set) var panes: [UISplitViewController.Column: Pane] = [:]
    /// The sizes of rebuilds that the engine decided, by column.
    private(set) var rebuilds: [UISplitViewController.Column: [CGSize]] = [:]

    /// - Parameter columns: Those with a view controller; `nil` for all of the style's.
    init(
        _ style: UISplitViewController.Style, width: CGFloat, height: CGFloat = 800,
        columns: [UISplitViewController.Column]? = nil, like other: SplitApp? = nil,
        platform: UISystem.Platform = .pad, policy: Policy = .immediate(lockDelay: .milliseconds(100)),
        configure: (UISplitViewController) -> Void = { _ in }
    ) throws {
        app = try other.map { try TestApp(like: $0.app) } ?? TestApp(platform: platform, policy: policy)
        split = UISplitViewController(style: style)
        let standard: [UISplitViewController.Column] =
            style == .tripleColumn
            ? [.primary, .supplementary, .secondary, .inspector] : [.primary, .secondary, .inspector]
        for column in columns ?? standard {
            let pane = Pane("\(column)")
            panes[column] = pane
            split.setViewController(pane, for: column)
        }
        configure(split)
        RecordingSceneDelegate.onConnect = { [split] scene, delegate in
            guard let system = UISystem.current else { return }
            system.submit(.geometry(system.identity(of: scene), at: system.now, size: Size(width, height)))
            delegate.window = UIWindow.show(split, in: scene)
        }
        app.system.onColumnDecision = { [unowned self] _, column, decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            rebuilds[column, default: []].append(CGSize(rebuild.size.width, rebuild.size.height))
        }
        _ = try app.launched()
        split.delegate = recorder
    }

    var system: UISystem { app.system }
    var scene: UIWindowScene { app.scene }

    func resize(_ width: CGFloat, _ height: CGFloat = 800) throws { try app.resize(width, height) }

    /// The frame of what a column shows, in the split view.
    func frame(_ column: UISplitViewController.Column) -> CGRect? {
        guard let view = split.slots[column].child?.viewIfLoaded, view.superview === split.view else { return nil }
        return view.frame
    }

    var mode: UISplitViewController.DisplayMode { split.displayMode }

    func pane(_ column: UISplitViewController.Column) -> Pane { panes[column]! }

    func separator(_ before: UISplitViewController.Column) throws -> UISystem.Separator {
        try XCTUnwrap(system.separators(of: split).first { $0.before == before })
    }

    /// The names of the panes on the stack of a collapsed interface, the lowest first.
    var stack: [String] {
        let host = split.viewControllers.first as? UINavigationController
        return (host?.viewControllers ?? []).compactMap { ($0 as? Pane)?.name }
    }

    /// The names of the panes in each column's own navigation controller, the primary one first.
    var stacks: [String] {
        let columns: [UISplitViewController.Column] = [.primary, .supplementary, .secondary]
        return columns.map { column in
            let child = split.slots[column].child as? UINavigationController
            return (child?.viewControllers ?? []).compactMap { ($0 as? Pane)?.name }.joined(separator: " ")
        }
    }

    /// The rebuilds since the last call.
    func drain() -> [UISplitViewController.Column: [CGSize]] {
        defer { rebuilds = [:] }
        return rebuilds
    }
}

/// A view controller that counts what it is called for.
final class Pane: UIViewController {
    let name: String
    private(set) var loads = 0
    private(set) var settled: [CGSize] = []
    private(set) var layouts: [CGSize] = []
    var onTransition: (CGSize, any UIViewControllerTransitionCoordinator) -> Void = { _, _ in }

    init(_ name: String) {
        self.name = name
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() { loads += 1 }
    override func viewSizeDidSettle(_ size: CGSize) { settled.append(size) }
    override func viewDidLayoutSubviews() { layouts.append(view.bounds.size) }
    override func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
        super.viewWillTransition(to: size, with: coordinator)
        onTransition(size, coordinator)
    }

    func drainSettled() -> [CGSize] {
        defer { settled = [] }
        return settled
    }
}

/// Records the calls of a split view controller, with `isCollapsed` where it matters.
final class SplitRecorder: UISplitViewControllerDelegate {
    typealias Column = UISplitViewController.Column

    var calls: [String] = []
    var topColumn: Column?
    var mode: UISplitViewController.DisplayMode?
    /// Runs in each call, after it was recorded.
    var onCall: (UISplitViewController, String) -> Void = { _, _ in }

    func drain() -> [String] {
        defer { calls = [] }
        return calls
    }

    private func add(_ call: String, _ split: UISplitViewController) {
        calls.append(split.isCollapsed ? "\(call) collapsed" : call)
        onCall(split, call)
    }

    func splitViewController(
        _ svc: UISplitViewController, willChangeTo displayMode: UISplitViewController.DisplayMode
    ) { add("mode \(displayMode)", svc) }
    func splitViewController(_ svc: UISplitViewController, willShow column: Column) { add("willShow \(column)", svc) }
    func splitViewController(_ svc: UISplitViewController, willHide column: Column) { add("willHide \(column)", svc) }
    func splitViewController(_ svc: UISplitViewController, didShow column: Column) { add("didShow \(column)", svc) }
    func splitViewController(_ svc: UISplitViewController, didHide column: Column) { add("didHide \(column)", svc) }
    func splitViewController(
        _ svc: UISplitViewController, topColumnForCollapsingToProposedTopColumn proposedTopColumn: Column
    ) -> Column {
        add("top \(proposedTopColumn)", svc)
        return topColumn ?? proposedTopColumn
    }
    func splitViewController(
        _ svc: UISplitViewController,
        displayModeForExpandingToProposedDisplayMode proposedDisplayMode: UISplitViewController.DisplayMode
    ) -> UISplitViewController.DisplayMode {
        add("expanding \(proposedDisplayMode)", svc)
        return mode ?? proposedDisplayMode
    }
    func splitViewControllerDidCollapse(_ svc: UISplitViewController) { add("didCollapse", svc) }
    func splitViewControllerDidExpand(_ svc: UISplitViewController) { add("didExpand", svc) }
}
