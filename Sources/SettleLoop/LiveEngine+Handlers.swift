internal import Settle
public import SettleHandlers

/// Other ways to receive decisions than the engine's handler. They may be made on any thread,
/// before `start` and while the engine runs, and receive what comes after.
extension LiveEngine {
    /// Makes an asynchronous sequence of the decisions, for one consumer, in order. The
    /// handler gets each decision first. The sequence ends when the engine has stopped. The
    /// engine keeps it until then, or until its `finish` is called.
    ///
    /// - Parameter capacity: How many decisions are buffered before newer ones supersede older
    ///   ones; see `DecisionStream`.
    /// - Precondition: `capacity` is not negative.
    public func makeDecisionStream(capacity: Int = 1024) -> DecisionStream {
        let stream = DecisionStream(capacity: capacity)
        withSubscribers { $0.add(stream) }
        return stream
    }

    /// Makes an asynchronous sequence of each scene's latest geometry, for one consumer, at
    /// most once per frame, also during an interaction: for cheap work such as stretching
    /// what is built. It ends when the engine has stopped.
    ///
    /// The loop passes every event to it, which takes 0.2 to 0.3 µs each.
    ///
    /// - Parameters:
    ///   - frameInterval: The least time between two geometries of one scene.
    ///   - clock: Frames are measured and waited for on this clock.
    /// - Precondition: `frameInterval` is not negative.
    public func makeGeometryStream(
        frameInterval: Duration = GeometryStream.defaultFrameInterval,
        clock: some Clock<Duration> = SuspendingClock()
    ) -> GeometryStream {
        let stream = GeometryStream(frameInterval: frameInterval, scenesMax: configuration.scenesMax, clock: clock)
        withSubscribers { $0.add(stream) }
        return stream
    }

    /// Makes a rebuilder, which runs the rebuilds that the engine decides, off the loop, at
    /// most one per scene and only the latest, and the previews, if there is a closure for them.
    /// When a build fails or is abandoned, its size is decided again after the scene's next change,
    /// interaction end or flush (contract, rule 13); a `retry` flushes the scene after a while.
    /// Scenes that disconnect are removed. Each build's end and its cost are reported, so a policy with a
    /// `liveSharePercent` also rebuilds within interactions, as often as its share pays for.
    ///
    /// Stopping the engine ends previews, drops retries and lets builds go on: `await
    /// rebuilder.stop()` and `waitUntilIdle()` wait for them. A failed build is reported to
    /// `onFailure` and to the hook `onBuildFailure`, and counted in the rebuilder's `statistics`.
    /// Closures that capture the engine strongly keep it until it has stopped; a rebuilder does
    /// not.
    ///
    /// - Parameters: See `AssetRebuilder.init`. The default clock is the engine's,
    ///   CLOCK_MONOTONIC.
    /// - Precondition: See `AssetRebuilder.init`.
    /// - Throws: `LoopError.secondRebuilder` if the engine has a rebuilder, and `stopped` after
    ///   `stop`.
    public func makeRebuilder(
        _ configuration: AssetRebuilder.Configuration = AssetRebuilder.Configuration(),
        clock: some Clock<Duration> = SuspendingClock(),
        build: @escaping AssetRebuilder.Build, onFailure: AssetRebuilder.Failure? = nil,
        preview: AssetRebuilder.Preview? = nil
    ) throws(LoopError) -> AssetRebuilder {
        try add(
            AssetRebuilder(
                configuration, clock: clock, reallyBuilt: reallyBuilt, finished: finished, previewed: previewed,
                flush: { [weak self] scene in self?.flush(scene) }, build: build, onFailure: report(to: onFailure),
                preview: preview))
    }

    /// Makes a rebuilder that prepares: with a policy such as `Policy.prepared`, `prepare` begins when a size stands
    /// still, and `show` gets what it made at the rebuild of that size. It is cancelled when the size changes.
    ///
    /// ```swift
    /// let engine = try LiveEngine(.init(policy: .prepared))
    /// let rebuilder = try engine.makeRebuilder { scene, size in
    ///     try await Picture(of: scene, size)             // long; its task is cancelled when the size changes
    /// } show: { scene, rebuild, picture in
    ///     await window(scene).show(picture)              // short, after the hand has let go
    /// }
    /// ```
    ///
    /// - Parameters: See `AssetRebuilder.init(_:clock:reallyBuilt:finished:previewed:flush:prepare:show:onFailure:)`.
    /// - Precondition: See there.
    /// - Throws: `LoopError.secondRebuilder` if the engine has a rebuilder, and `stopped` after `stop`.
    public func makeRebuilder<Asset: Sendable>(
        _ configuration: AssetRebuilder.Configuration = AssetRebuilder.Configuration(),
        clock: some Clock<Duration> = SuspendingClock(),
        prepare: @escaping AssetRebuilder.Prepare<Asset>, show: @escaping AssetRebuilder.Show<Asset>,
        onFailure: AssetRebuilder.Failure? = nil
    ) throws(LoopError) -> AssetRebuilder {
        try add(
            AssetRebuilder(
                configuration, clock: clock, reallyBuilt: reallyBuilt, finished: finished, previewed: previewed,
                flush: { [weak self] scene in self?.flush(scene) }, prepare: prepare, show: show,
                onFailure: report(to: onFailure)))
    }

    private func add(_ rebuilder: AssetRebuilder) throws(LoopError) -> AssetRebuilder {
        try loop.add(rebuilder)
        return rebuilder
    }

    private var reallyBuilt: AssetRebuilder.ReallyBuilt {
        { [weak self] scene, size in
            if let self { self.post(.reallyBuilt(scene, at: self.now, size: size)) }
        }
    }

    private var finished: AssetRebuilder.Finished {
        { [weak self] scene, generation, cost in
            // Without a liveSharePercent nothing counts the reports, and nobody needs to wake the loop.
            guard let self, self.loop.withInput({ $0.engine.hasLivePolicy }) else { return }
            self.finished(scene, generation: generation, cost: cost)
        }
    }

    private var previewed: AssetRebuilder.Previewed {
        { [weak self] scene, generation, cost, isKept in
            // As above, without a pauseSharePercent.
            guard let self, self.loop.withInput({ $0.engine.hasPayingPolicy }) else { return }
            self.previewed(scene, generation: generation, cost: cost, isKept: isKept)
        }
    }

    /// Calls the hook, if there is one, and then the closure.
    private func report(to onFailure: AssetRebuilder.Failure?) -> AssetRebuilder.Failure? {
        guard let hook = hooks.onBuildFailure else { return onFailure }
        return { scene, rebuild, error in
            hook(scene, rebuild, error)
            onFailure?(scene, rebuild, error)
        }
    }
}
