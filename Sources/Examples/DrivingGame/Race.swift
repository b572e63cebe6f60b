import UIKit

/// One race: the track, how far the car has come, and whether somebody is driving it.
@MainActor final class Race {
    static let activityType = "org.example.driving-game.race"

    private(set) var track = "village"
    private(set) var laps = 0
    private(set) var isDriving = false

    /// Hears of each start and stop.
    var onChange: () -> Void = {}

    func start(on track: String) {
        if track != self.track { laps = 0 }
        self.track = track
        AppDelegate.raceOfTheDay = self
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
    /// What brings the race back after the scene, or the whole process, was gone. The car
    /// stands then: nobody has their hands at the wheel.
    var activity: NSUserActivity {
        let activity = NSUserActivity(activityType: Race.activityType)
        activity.userInfo = ["track": track, "laps": laps]
        return activity
    }

    func restore(_ activity: NSUserActivity) {
        guard activity.activityType == Race.activityType else { return }
        track = activity.userInfo?["track"] as? String ?? track
        laps = activity.userInfo?["laps"] as? Int ?? laps
        say("is back on track \(track) after lap \(laps)")
    }

    /// Does what a `drivinggame:` URL says: `drivinggame://drive/TRACK`, `drivinggame://lap`
    /// or `drivinggame://stop`.
    func follow(_ url: URL) {
        switch (url.scheme, url.host) {
        case ("drivinggame", "drive"):
            start(on: url.lastPathComponent.isEmpty ? track : url.lastPathComponent)
        case ("drivinggame", "lap"): finishLap()
        case ("drivinggame", "stop"): stop(because: "the driver asks for it")
        default: say("cannot open \(url)")
        }
    }
}
