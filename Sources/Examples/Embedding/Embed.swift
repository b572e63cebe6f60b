import Settle
import SettleLog

// A drag of three sizes on a virtual clock, and the one rebuild that it comes to.
var engine = try Engine(policy: .default)
let window = try engine.connect()
func handle(_ decision: Decision) {
    if case .rebuild(let rebuild) = decision.kind { print("rebuild \(rebuild.size)") }
}
for (milliseconds, width, isResizing) in [(0, 800.0, true), (16, 810.0, true), (33, 824.0, false)] {
    let at = Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000)
    let size = Size(width: width, height: 600)
    engine.submit(.geometry(window, at: at, size: size, isInteractivelyResizing: isResizing), deliver: handle)
}
if let deadline = engine.nextDeadline { engine.advance(to: deadline, deliver: handle) }

// A recorded log through the same engine.
let replay = try LogReplay(LogReader(path: CommandLine.arguments[1]), policy: .default)
while try replay.readNext() { replay.submit { _, _ in } }
replay.finish { _, _ in }
print("\(replay.reader.header.name): \(replay.summary.rebuilds) rebuilds")
