internal import Settle

/// What the host gets from the system: messages, decisions, and the calls to the app's delegates.
@MainActor final class Reports {
    // `@exclusivity(unchecked)`: see UISystem.swift. What the closures are for: see there.
    @exclusivity(unchecked) var onDecision: ((UIWindowScene, Decision) -> Void)?
    var onColumnDecision: ((UISplitViewController, UISplitViewController.Column, Decision) -> Void)?
    @exclusivity(unchecked) var onCallback: ((UISystem.Callback) -> Void)?
    /// Gets each scene for which, or for a column in which, a rebuild was decided: after the layout
    /// and the app's `viewSizeDidSettle`.
    var onSettled: ((UIWindowScene) -> Void)?
    private(set) var messages: [String] = []
    private var loggedOnce: Set<String> = []

    private let write: (String) -> Void
    private let timed: TimedEngine

    init(_ timed: TimedEngine, writing write: @escaping (String) -> Void) {
        self.timed = timed
        self.write = write
    }

    func log(_ message: String) {
        messages.append(message)
        write(message)
    }

    /// Logs a message that each layout would repeat otherwise.
    func logOnce(_ message: String) {
        if loggedOnce.insert(message).inserted { log(message) }
    }

    /// Reports a delegate call that is about to be made to `onCallback`. Without an
    /// observer it costs one comparison.
    func traceCallback(
        _ name: StaticString, _ session: UISceneSession? = nil, _ detail: @autoclosure () -> String = ""
    ) {
        guard let onCallback else { return }
        onCallback(
            UISystem.Callback(at: timed.now, session: session, name: "\(name)", detail: detail(), geometries: nil))
    }

    /// The same for a change of geometry, which is the scene's current one now.
    func traceGeometryCallback(_ scene: UIWindowScene, _ previous: UIWindowScene.Geometry) {
        guard let onCallback else { return }
        onCallback(
            UISystem.Callback(
                at: timed.now, session: scene.session, name: "didUpdateEffectiveGeometry",
                detail: scene.current.difference(from: previous), geometries: (previous, scene.current)))
    }
}
