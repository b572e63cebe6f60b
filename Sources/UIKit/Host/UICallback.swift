public import Settle

/// A call that the system makes to a delegate of the app.
public struct UICallback {
    /// When, by the system's clock.
    public let at: Timestamp
    /// Whose scene it is about; `nil` for the app as a whole.
    public let session: UISceneSession?
    /// The method, by what tells it from others: its base name, or for methods named
    /// `scene` and `application` the first label that differs.
    public let name: String
    /// What it brings or says, if that can be told in a few words.
    public let detail: String
    /// What `windowScene(_:didUpdateEffectiveGeometry:)` tells; `nil` for other methods.
    public let geometries: (previous: UIWindowScene.Geometry, current: UIWindowScene.Geometry)?
}

extension UISystem {
    /// Tells whoever listens of a call that is about to be made. Where nobody does, it
    /// costs one comparison.
    func announce(_ name: StaticString, _ session: UISceneSession? = nil, _ detail: @autoclosure () -> String = "") {
        guard let onCallback else { return }
        onCallback(UICallback(at: now, session: session, name: "\(name)", detail: detail(), geometries: nil))
    }

    /// The same for a geometry.
    func announce(_ scene: UIWindowScene, _ previous: UIWindowScene.Geometry, _ current: UIWindowScene.Geometry) {
        guard let onCallback else { return }
        onCallback(
            UICallback(
                at: now, session: scene.session, name: "didUpdateEffectiveGeometry",
                detail: current.difference(from: previous), geometries: (previous, current)))
    }
}

extension UIWindowScene.Geometry {
    /// What differs, as `800×600 → 810×600, resizing`.
    fileprivate func difference(from previous: UIWindowScene.Geometry) -> String {
        let (old, new) = (previous.state, state)
        var parts: [String] = []
        func add<Value: Equatable>(_ old: Value, _ new: Value, isFirst: Bool, _ text: (Value) -> String) {
            guard old != new else { return }
            parts.append(isFirst ? text(new) : "\(text(old)) → \(text(new))")
        }
        add(old.size, new.size, isFirst: old.size == .zero) { Size($0).description }
        add(old.origin, new.origin, isFirst: false) { "at \(Size.text($0.x)),\(Size.text($0.y))" }
        add(old.orientation, new.orientation, isFirst: old.orientation == .unknown) { "\($0)" }
        add(old.isInterfaceOrientationLocked, new.isInterfaceOrientationLocked, isFirst: true) {
            $0 ? "locked" : "unlocked"
        }
        switch (old.isInteractivelyResizing, new.isInteractivelyResizing) {
        case (false, true): parts.append("resizing begins")
        case (true, true): parts.append("resizing")
        case (true, false): parts.append("resizing ends")
        case (false, false): break
        }
        return parts.isEmpty ? "on another screen" : parts.joined(separator: ", ")
    }
}
