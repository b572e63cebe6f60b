import Settle

// MARK: - Rules 17 and 18, work before the rebuild

extension Oracle {
    /// Rule 17, at a size change.
    mutating func considerPreview(_ id: SceneID) {
        let scene = scenes[id]!
        scenes[id]!.preview = nil
        guard scene.mayPreview, scene.previewInFlight == nil else { return }
        lastNumber += 1
        let at = max(Oracle.after(time, scene.policy.pauseDelay!), scene.previewPayDay)
        scenes[id]!.preview = Armed(at: at, number: lastNumber)
    }

    /// Rule 17: a report of work for a preview.
    mutating func previewed(_ event: Event) {
        let (generation, cost, isKept) = event.work!
        guard let scene = scenes[event.scene], let share = scene.policy.pauseSharePercent,
            scene.previewInFlight == generation
        else { return }
        let spent = min(cost.wholeNanoseconds, OracleScene.hour)
        let payDay = min(
            time + OracleScene.waitToPay(spent, times: 1, share: share), Timestamp.latest.nanoseconds)
        (scenes[event.scene]!.previewInFlight, scenes[event.scene]!.previewPayDay) = (nil, payDay)
        if !isKept { scenes[event.scene]!.previewed = nil }
        guard scenes[event.scene]!.mayPreview, let delay = scene.policy.pauseDelay else { return }
        lastNumber += 1
        let still = Oracle.after(scene.standsStillSince, delay)
        let at = [time, payDay, still, isKept ? 0 : Oracle.after(time, delay)].max()!
        scenes[event.scene]!.preview = Armed(at: at, number: lastNumber)
    }

    /// Rule 18: a report of a build's end. The next rebuild's cost begins with it.
    mutating func finished(_ event: Event) {
        let (generation, cost) = event.build!
        if generation == scenes[event.scene]!.generation { scenes[event.scene]!.row?.built = time }
        guard scenes[event.scene]!.flight == generation else { return }
        scenes[event.scene]!.flight = nil
        guard scenes[event.scene]!.policy.liveSharePercent != nil else { return }
        scenes[event.scene]!.report = (time, min(cost.wholeNanoseconds, OracleScene.hour), generation)
        considerLive(event.scene)
    }

    /// Rule 18: at a size change, and at a report that ends a flight.
    mutating func considerLive(_ id: SceneID) {
        let scene = scenes[id]!
        guard scene.built != nil, scene.isUnbuilt, !scene.isCancelled else {
            scenes[id]!.live = nil
            return
        }
        guard let share = scene.policy.liveSharePercent, scene.flight == nil, let report = scene.report else { return }
        let at = min(
            [
                time, Oracle.after(scene.rebuilt, scene.policy.liveInterval),
                scene.livePayDay(report, share: share),
            ].max()!, Timestamp.latest.nanoseconds)
        if scene.live?.at == at { return }
        lastNumber += 1
        scenes[id]!.live = Armed(at: at, number: lastNumber)
    }
}
