internal import Settle

/// Which window scene an engine's scene is.
extension UISystem {
    /// Connects a window scene to the engine.
    ///
    /// - Throws: `EngineError` if `scenesMax` scenes are connected.
    func bind(_ scene: UIWindowScene) throws {
        scene.identity = try engine.connect()
        let index = indices[scene.identity]
        if index >= scenesByIndex.count {
            scenesByIndex.append(contentsOf: repeatElement(nil, count: index + 1 - scenesByIndex.count))
        }
        scenesByIndex[index] = scene
    }

    /// Removes a scene that has disconnected from the engine, once the decisions about it,
    /// which may wait for others, are processed.
    func unbind(_ scene: UIWindowScene) {
        if isProcessingDecisions {
            return transaction.deferredWork.append { [unowned self] in unbind(scene) }
        }
        let index = indices[scene.identity]
        if scenesByIndex[index] === scene { scenesByIndex[index] = nil }
    }

    /// The connected scene with that handle; `nil` if there is none.
    func windowScene(_ identity: SceneID) -> UIWindowScene? {
        let index = indices[identity]
        guard index < scenesByIndex.count, let scene = scenesByIndex[index], scene.identity == identity else {
            return nil
        }
        return scene
    }

    /// Whether the scene is connected, or is just being connected.
    func isBound(_ scene: UIWindowScene) -> Bool { windowScene(scene.identity) === scene }
}
