public import Settle

/// An asset, which may be an optional itself.
private struct Kept<Asset: Sendable>: Sendable {
    let asset: Asset
}

extension AssetRebuilder {
    /// Makes what a scene needs for a size, without showing it. Throws early when its task is cancelled.
    public typealias Prepare<Asset: Sendable> = @Sendable (SceneID, Size) async throws -> Asset
    /// Shows what was prepared for a rebuild's size. Returning means that the size is built, even after its task was
    /// cancelled. When it throws, what was shown before must still be there.
    public typealias Show<Asset: Sendable> = @Sendable (SceneID, Rebuild, Asset) async throws -> Void

    /// A rebuilder whose builds are begun early and shown late: at a preview `prepare` begins, and at the rebuild of
    /// that size `show` gets what it made. So the picture is there when the hand lets go, and nothing is shown within
    /// the drag but what the end before it has left to build. It takes a policy with a `pauseDelay`, as `Policy.prepared`; without one `prepare` begins at the rebuild.
    ///
    /// ```
    ///           preview                    ends                   rebuild of its size
    ///   idle ────────────▶ preparing ────────────▶ kept ───────────────────────────────▶ shown
    ///                          │                     │
    ///                          ├─ rebuild of its size: is shown when it ends
    ///                          ├─ another size: cancelled, given up
    ///                          └─ fails: made anew at the rebuild
    ///                                                └─ a preview or rebuild of another size, no rebuild owed: let go
    /// ```
    ///
    /// - One result is kept per scene, for one size: a size that comes back finds it. It is let go when a preview or a
    ///   rebuild of another size is decided, when nothing is owed any more (`follow`), by `dropPrepared`, `remove` and
    ///   `stop`. It may be let go on any thread.
    /// - A preparation takes one of the `concurrency` places, and begins after the rebuilds that wait. A rebuild of another
    ///   scene that finds no place ends it.
    /// - A preparation that throws is counted, and over: the rebuild prepares anew, no other preview of its size, and
    ///   `onFailure` is called if that throws as well.
    /// - `finished` reports what `prepare` and `show` took together, whenever that was.
    ///
    /// - Parameters:
    ///   - configuration: How builds run.
    ///   - clock: Builds and waits are measured on this clock.
    ///   - reallyBuilt: See the other initializer.
    ///   - finished: See the other initializer.
    ///   - previewed: See the other initializer.
    ///   - flush: See the other initializer.
    ///   - prepare: Makes a scene's assets for one size. Its task is cancelled when the size is of no more use.
    ///   - show: Shows them. It is not called after its task was cancelled.
    ///   - onFailure: Called when a rebuild's own `prepare` or its `show` threw without having been cancelled.
    /// - Precondition: See the other initializer.
    public convenience init<Asset: Sendable>(
        _ configuration: Configuration = Configuration(), clock: some Clock<Duration> = SuspendingClock(),
        reallyBuilt: @escaping ReallyBuilt, finished: Finished? = nil, previewed: Previewed? = nil,
        flush: Flush? = nil, prepare: @escaping Prepare<Asset>, show: @escaping Show<Asset>,
        onFailure: Failure? = nil
    ) {
        self.init(
            configuration, clock: clock, reallyBuilt: reallyBuilt, finished: finished, previewed: previewed,
            flush: flush,
            build: { scene, rebuild, prepared in
                let kept = prepared as? Kept<Asset>
                let asset = if let kept { kept.asset } else { try await prepare(scene, rebuild.size) }
                try Task.checkCancellation()
                try await show(scene, rebuild, asset)
            }, onFailure: onFailure, preview: { Kept(asset: try await prepare($0, $1)) }, prepares: true)
    }
}
