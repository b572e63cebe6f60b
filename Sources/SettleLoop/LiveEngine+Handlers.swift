public import Settle
public import SettleHandlers

/// Other ways to hear of an engine's work than its handler. They may be made before
/// `start` and while the engine runs, on any thread; they hear what comes after.
extension LiveEngine {
    /// The decisions as an asynchronous sequence for one consumer, in order, after the
    /// handler has had them. It ends when the engine has stopped. The engine keeps it
    /// until then, or until `finish` is called on it.
    ///
    /// - Parameter capacity: Undelivered decisions up to which none is superseded by a
    ///   newer one; see `DecisionStream`.
    public func makeDecisionStream(capacity: Int = 1024) -> DecisionStream {
        let stream = DecisionStream(capacity: capacity)
        withListeners { $0.add(stream) }
        return stream
    }

    /// Each scene's latest geometry as an asynchronous sequence for one consumer, at
    /// most once a frame, also while an interaction goes on: for cheap work such as
    /// stretching what is built. It ends when the engine has stopped.
    ///
    /// Every event is shown to it, which takes the loop 0.2 to 0.3 µs each.
    ///
    /// - Parameter frameInterval: The least time between two geometries of one scene.
    public func makeGeometryStream(
        frameInterval: Duration = GeometryStream.defaultFrameInterval
    ) -> GeometryStream {
        let stream = GeometryStream(frameInterval: frameInterval, scenesMax: scenesMax)
        withListeners { $0.add(stream) }
        return stream
    }

    /// Runs the rebuilds that the engine decides, off the loop, at most one a scene and
    /// only the latest. What a failed or abandoned build leaves undone is owed again at
    /// the scene's next change, end or flush (contract, rule 13), and scenes that
    /// disconnect are forgotten.
    ///
    /// One for an engine; a second stops the program. Stopping the engine does not wait
    /// for builds: `await rebuilder.stop()` or `waitUntilIdle()` does.
    ///
    /// A build that fails is reported to `onFailure`, and counted and described in the
    /// rebuilder's `statistics`. Builds and `onFailure` that capture the engine strongly keep
    /// it until it has stopped; a rebuilder does not.
    ///
    /// - Parameters: See `AssetRebuilder.init`.
    public func makeRebuilder(
        concurrency: Int = 2, priority: TaskPriority? = nil, executor: (any TaskExecutor)? = nil,
        build: @escaping AssetRebuilder.Build, onFailure: AssetRebuilder.Failure? = nil
    ) -> AssetRebuilder {
        let rebuilder = AssetRebuilder(
            concurrency: concurrency, priority: priority, executor: executor,
            built: { [weak self] scene, size in
                if let self { self.post(.built(scene, size: size, at: self.now)) }
            }, build: build, onFailure: onFailure)
        withListeners { $0.add(rebuilder) }
        return rebuilder
    }
}
