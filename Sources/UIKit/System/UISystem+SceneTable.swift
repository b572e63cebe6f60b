internal import Settle

/// Which window scene an engine's scene is.
extension UISystem {
    /// Connects a window scene to the engine.
    ///
    /// - Throws: `EngineError` if `scenesMax` scenes are connected.
    func bind(_ scene: UIWindowScene) throws {
        // The engine has space for columns besides.
        guard boundScenes.count < configuration.scenesMax else {
            throw EngineError.tooManyScenes(configuration.scenesMax)
        }
        scene.identity = try engine.connect()
        boundScenes[scene.identity] = scene
    }

    /// Removes a scene that has disconnected from the engine, once the decisions about it,
    /// which may wait for others, are processed.
    func unbind(_ scene: UIWindowScene) {
        if isProcessingDecisions {
            return transaction.deferredWork.append { [unowned self] in unbind(scene) }
        }
        boundScenes[scene.identity] = nil
    }

    /// The connected scene with that handle; `nil` if there is none.
    func windowScene(_ identity: SceneID) -> UIWindowScene? { boundScenes[identity] }

    /// Whether the scene is connected, or is just being connected.
    func isBound(_ scene: UIWindowScene) -> Bool { windowScene(scene.identity) === scene }
}
