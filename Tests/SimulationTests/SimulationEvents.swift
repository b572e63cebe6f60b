import Settle
import TestSupport

/// The random events of producers.
extension Simulation {
    func makeEvent(for index: Int) -> Event? {
        let at = producers[index].stamp(loop.time, &random)
        // An honest clock may add a nanosecond, which must pass for all.
        if producers[index].traits.clock == .honest { loop.time = max(loop.time, at.nanoseconds) }
        if random.chance(scenario.pointerPercent) {
            let button = UInt32(10 * index + random.below(2))
            return .pointer(button: button, at: at, isPressed: random.chance(50))
        }
        // An event of a disconnected scene: its producer may not know of the disconnect yet.
        if random.chance(3), let scene = producers[index].disconnected.last { return geometry(scene, at) }
        guard let scene = producers[index].scenes.randomElement(using: &random) else { return nil }
        switch random.below(60) {
        case 0:
            leave(scene, index)
            return .disconnect(scene, at: at)
        case 1:
            var flush = Event.flush(scene, at: at)
            flush.mark(isPosted: false)
            return flush
        case 2: return .cancel(scene, at: at)
        default: return geometry(scene, at)
        }
    }

    private func geometry(_ scene: SceneID, _ at: Timestamp) -> Event {
        var (at, size) = (at, random.chance(75) ? Size(width: Double(100 * (1 + random.below(4))), height: 50) : nil)
        if random.chance(4) { size = .zero }
        if random.chance(scenario.badPercent) {
            if random.chance(30) { at = Timestamp(nanoseconds: Timestamp.latest.nanoseconds + 1) }
            size = Size(width: random.pick([.nan, -1, .infinity]), height: 50)
        }
        return .geometry(
            scene, at: at, size: size,
            isInteractivelyResizing: random.chance(scenario.flagPercent) ? random.chance(50) : nil,
            isInterfaceOrientationLocked: random.chance(15) ? random.chance(50) : nil,
            orientation: random.chance(10) ? random.pick(InterfaceOrientation.allCases) : nil)
    }
}
