public import Settle

extension UISystem {
    /// A call that the system makes to a delegate of the app.
    public struct Callback {
        /// The time of the call, by the system's clock.
        public let at: Timestamp
        /// The session of the scene that the call is about; `nil` for the app as a whole.
        public let session: UISceneSession?
        /// The method's name: its base name or, for methods named `scene` and `application`,
        /// the first label that differs from other such methods.
        public let name: String
        /// The call's arguments, where a few words can show them; else empty.
        public let detail: String
        /// The geometries of a `windowScene(_:didUpdateEffectiveGeometry:)` call; `nil` for
        /// other methods.
        public let geometries: (previous: UIWindowScene.Geometry, current: UIWindowScene.Geometry)?
    }
}

extension UIWindowScene.Geometry {
    /// What differs, for example `800×600 → 810×600, resizing`.
    func difference(from previous: UIWindowScene.Geometry) -> String {
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
