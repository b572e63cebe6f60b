import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleServer

/// A client of the socket server, whatever it sends: it is read or dropped with a
/// reason, no decision is ahead of its time, and no interaction stays open.
enum StreamJudge {
    static func run(_ bytes: [UInt8]) {
        var open: Set<String> = []
        do {
            let reader = try StreamReader(Pieces.input(bytes)) { decision, scene in
                demand(decision.at <= MonotonicClock.now, "a decision is not early")
                switch decision.kind {
                case .interactionBegan:
                    demand(open.insert(scene).inserted, "an interaction begins once")
                case .interactionEnded:
                    demand(open.remove(scene) != nil, "an interaction that ends has begun")
                case .rebuild:
                    demand(!open.contains(scene), "nothing is built within an interaction")
                default: break
                }
            }
            switch reader.run() {
            case .complete(let events):
                demand(events <= bytes.count, "no more events than bytes: \(events)")
            case .faulty(let reason, let events):
                demand(events <= bytes.count && !reason.isEmpty, "a stream is dropped with a reason: '\(reason)'")
            }
        } catch {
            demand(false, "an engine can be had: \(error)")
        }
        demand(open.isEmpty, "a stream's interactions end with it")
    }
}
