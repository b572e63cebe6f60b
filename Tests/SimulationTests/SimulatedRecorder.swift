import Settle
import SettlePlatform
import TestSupport

@testable import SettleLog

/// A simulated program that records events on a faulty disk. Sometimes it is killed or loses
/// power. Then all acknowledged events must be in the file, and it appends to that.
final class SimulatedRecorder: @unchecked Sendable {
    private let path: String
    private let scenario: Scenario.Recording
    private let disk: SimulatedDisk
    private var random: SplitMix64
    private var recorder: LogRecorder?
    /// The appended events that can still be in the file.
    private var appended: [(event: LogEvent, name: String)] = []
    private var acknowledged: UInt64 = 0
    private(set) var crashes = 0
    private(set) var recorded = 0
    var faults: Int { disk.faults }
    private(set) var breach: String?

    init(path: String, _ scenario: Scenario.Recording, _ random: SplitMix64) {
        self.path = path
        self.scenario = scenario
        self.random = random
        var ofDisk = random
        _ = ofDisk.next()
        disk = SimulatedDisk(ofDisk, faultPercent: scenario.faultPercent)
    }

    deinit { unlink(path) }

    var digest: UInt64 { UInt64(appended.count) << 32 ^ acknowledged << 16 ^ UInt64(disk.faults) }

    func append(_ event: Event, scene: String, at now: Timestamp) {
        do throws(LogError) {
            let recorder = try opened()
            let name = try event.kind == .pointer ? SceneNumber(rawValue: 0) : recorder.scene(named: scene)
            guard let event = LogEvent(event, name: name) else { return }
            appended.append((event, scene))
            recorded += 1
            try recorder.append(event)
            _ = try recorder.tick(at: now)
            note(recorder.safe)
        } catch {
            hasFailed(error)
        }
    }

    func tick(at now: Timestamp) {
        guard let recorder else { return }
        do throws(LogError) { _ = try recorder.tick(at: now) } catch { hasFailed(error) }
    }

    private func opened() throws(LogError) -> LogRecorder {
        if let recorder { return recorder }
        let made = try LogRecorder(
            path: path, header: LogHeader(source: "simulation"), opening: .appending,
            flushInterval: scenario.flushInterval, sync: scenario.sync, calls: disk.calls,
            wasMadeSafe: { [weak self] in self?.note($0) })
        recorder = made
        if made.safe.events != UInt64(appended.count) {
            fail("a recording of \(appended.count) events continues with \(made.safe.events)")
        }
        return made
    }

    private func note(_ safe: LogRecorder.Safe) {
        if safe.events > appended.count { fail("\(safe.events) events acknowledged of \(appended.count)") }
        acknowledged = max(acknowledged, safe.events)
    }

    /// After a failure of the disk, the program ends, space is freed, and recording continues.
    private func hasFailed(_ error: LogError) {
        guard case .io = error.kind else { return fail("refuses a sound event: \(error)") }
        crash(losesPower: random.chance(50))
    }

    /// Ends the program at once. If power is lost too, the file keeps the synced bytes and a
    /// random part of the others.
    func crash(losesPower: Bool) {
        crashes += 1
        recorder = nil
        var status = stat()
        var length = stat(path, &status) == 0 ? UInt64(status.st_size) : 0
        if losesPower, scenario.sync != .never, length > disk.synced {
            length = disk.synced + UInt64(random.below(Int(length - disk.synced) + 1))
            SettlePlatform.truncate(path, off_t(length))
        }
        disk.mend(length: length)
        verify()
    }

    /// Completes the log and verifies it.
    func finish() {
        do throws(LogError) {
            try recorder?.finish()
            if let recorder { note(recorder.safe) }
            recorder = nil
        } catch {
            return hasFailed(error)
        }
        let all = appended.count
        verify()
        if appended.count != all { fail("a finished log has \(appended.count) of \(all) events") }
    }

    /// Checks that the file has the first appended events, at least all acknowledged ones.
    /// Removes the lost ones from `appended`.
    private func verify() {
        guard access(path, F_OK) == 0 else { return }
        var read: [(event: LogEvent, name: String)] = []
        do throws(LogError) {
            let input = try ByteInput(path: path)
            if try !input.isEmpty() { read = try events(in: input) }
        } catch {
            // A log that is torn before its first chunk has no events.
            if case .io = error.kind { fail("cannot be read: \(error)") }
        }
        if read.count < acknowledged { fail("\(read.count) events are left of \(acknowledged) acknowledged") }
        if read.count > appended.count { return fail("\(read.count) events are read of \(appended.count)") }
        for (index, (one, other)) in zip(read, appended).enumerated() {
            var event = other.event
            if event.kind != .pointer { event.name = one.event.name }
            if one.event != event || one.name != other.name { return fail("event \(index) is not what was appended") }
        }
        appended.removeLast(appended.count - read.count)
        acknowledged = min(acknowledged, UInt64(read.count))
    }

    private func events(in input: ByteInput) throws(LogError) -> [(event: LogEvent, name: String)] {
        var read: [(event: LogEvent, name: String)] = []
        let reader = try LogReader(input, format: .settle)
        let batch = EventBatch()
        do throws(LogError) {
            while try reader.read(into: batch) {
                for index in 0..<batch.count {
                    let event = batch[index]
                    read.append((event, event.kind == .pointer ? "" : reader.scenes[event.name]))
                }
            }
        } catch {
            // A torn end.
            guard error.kind == .truncated else { throw error }
        }
        return read
    }

    private func fail(_ problem: String) { breach = breach ?? "the log: \(problem)" }
}
