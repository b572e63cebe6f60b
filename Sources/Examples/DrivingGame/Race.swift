import UIKit

/// A race: its track, the finished laps, and whether the car is being driven.
@MainActor final class Race {
    static let activityType = "org.example.driving-game.race"

    private(set) var track = "village"
    private(set) var laps = 0
    private(set) var isDriving = false

    /// Called when driving starts or stops.
    var onChange: () -> Void = {}

    func start(on track: String) {
        if track != self.track { laps = 0 }
        self.track = track
        AppDelegate.currentRace = self
        say("drives on track \(track)")
        setDriving(true)
    }

    func finishLap() {
        laps += 1
        say("lap \(laps) on track \(track)")
    }

    func stop(because reason: String) {
        guard isDriving else { return }
        say("stops, as \(reason)")
        setDriving(false)
    }

    private func setDriving(_ isNowDriving: Bool) {
        guard isNowDriving != isDriving else { return }
        isDriving = isNowDriving
        onChange()
    }
}

extension Race {
    /// The state that restores the race in a later scene or process. The car does not drive
    /// then.
    var activity: NSUserActivity {
        let activity = NSUserActivity(activityType: Race.activityType)
        activity.userInfo = ["track": track, "laps": laps]
        return activity
    }

    /// Continues a stored race.
    func restore(_ activity: NSUserActivity) {
        guard activity.activityType == Race.activityType else { return }
        track = activity.userInfo?["track"] as? String ?? track
        laps = activity.userInfo?["laps"] as? Int ?? laps
        say("is back on track \(track) after lap \(laps)")
    }

    /// Performs the command of a URL: `drivinggame://drive/TRACK`, `drivinggame://lap` or
    /// `drivinggame://stop`.
    func open(_ url: URL) {
        switch (url.scheme, url.host) {
        case ("drivinggame", "drive"):
            start(on: url.lastPathComponent.isEmpty ? track : url.lastPathComponent)
        case ("drivinggame", "lap"): finishLap()
        case ("drivinggame", "stop"): stop(because: "the driver asks for it")
        default: say("cannot open \(url)")
        }
    }
}
