/// When a change of a scene's state that the host asks for takes effect.
extension UISystem {
    /// How many changes of scenes' states callbacks may ask for within one call from
    /// outside. Callbacks that undo each other's changes would otherwise never come to rest.
    public static let stateChangesMax = 100

    /// Changes scenes' states: at once, or, where a callback asks for it, once the present
    /// call from outside has made its own changes and their callbacks. So every transition
    /// is complete before the next begins, and a scene's callbacks stay in their order.
    ///
    /// - Throws: What `change` throws, if it runs at once; `ended`. What a later change
    ///   throws is logged.
    func changeState(_ change: @escaping () throws -> Void) throws {
        guard phase != .ended else { throw UISystem.Error.ended }
        guard depth > 0 else { return try act(change) }
        guard changesInCall < Self.stateChangesMax else { return logChangesMax() }
        changesInCall += 1
        waiting.append { [unowned self] in
            guard phase != .ended else { return }
            do { try change() } catch {
                log("A scene's state does not change as a callback asked: \(error).")
            }
        }
    }

    private func logChangesMax() {
        guard !hasLoggedChangesMax else { return }
        hasLoggedChangesMax = true
        log(
            "Callbacks asked for more than \(Self.stateChangesMax) changes of scenes' states within one call from "
                + "outside; the rest is dropped. Change a scene's state only where it differs from the one wanted.")
    }

    func isConnected(_ scene: UIScene) -> Bool { connected[ObjectIdentifier(scene)] != nil }
}
