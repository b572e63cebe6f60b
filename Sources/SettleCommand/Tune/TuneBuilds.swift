import Settle
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSweep

/// What the options of `settle tune` say of builds: their cost, and how busy they may keep a scene.
struct TuneBuilds {
    private enum Cost {
        case none
        case given(BuildCost)
        /// That of the logs' own reports.
        case fitted
    }

    private let cost: Cost
    /// The most of any half second, in percent.
    let busy: Int?

    /// Whether builds are played.
    var isPlayed: Bool { if case .none = cost { false } else { true } }

    init(_ options: Options) throws {
        switch options.value("build-cost") {
        case nil: cost = .none
        case "log":
            guard !options.positional.contains("-") else {
                throw Failure.usage(
                    "--build-cost log reads the logs twice, and - can be read once; give a file or a cost")
            }
            cost = .fitted
        case .some(let text):
            guard let given = BuildCost(text) else {
                throw Failure.usage(
                    "--build-cost is '\(text)'; \(BuildCost.usage), or log")
            }
            cost = .given(given)
        }
        guard let text = options.value("busy") else {
            busy = nil
            if options.has("build-cost"), let other = ["p95-lag", "wasted"].first(where: options.has) {
                throw Failure.usage(
                    "--\(other) is no bound with --build-cost, which counts work; give --busy, as --busy 30%")
            }
            return
        }
        guard options.has("build-cost") else {
            throw Failure.usage(
                "--busy bounds builds, which take no time here; give --build-cost too, as --build-cost 8ms")
        }
        if let other = ["p95-lag", "wasted"].first(where: options.has) {
            throw Failure.usage("--\(other) is no bound with --build-cost; --busy alone is")
        }
        guard text.hasSuffix("%"), let percent = Int(text.dropLast()), (1...100).contains(percent),
            text.utf8.first != 0x2B
        else {
            throw Failure.usage("--busy is '\(text)'; it is a whole percentage from 1% to 100%, as 30%")
        }
        busy = percent
    }

    /// The cost of a build, `nil` if builds are not played.
    ///
    /// - Throws: If the cost is to be fitted, and the logs have no reports.
    func cost(_ files: [LogInputs.File], _ format: LogFormat?, _ endSignal: EndSignal) throws -> BuildCost? {
        switch cost {
        case .none: return nil
        case .given(let cost): return cost
        case .fitted: break
        }
        if let pipe = files.first(where: { $0.bytes == nil }) {
            throw Failure.usage("--build-cost log reads the logs twice, and \(pipe.path) is no regular file")
        }
        var reports = BuildReports()
        for file in files where !endSignal.hasArrived {
            // What is wrong with a file is said when it is read to be decided.
            guard
                let reader = try? LogReader(
                    ByteInput(path: file.path, interruption: endSignal.descriptor), format: format)
            else { continue }
            reports.add(reader) { !endSignal.hasArrived }
        }
        // Why there is none is said later.
        if files.isEmpty || endSignal.hasArrived { return BuildCost(fixed: .zero) }
        guard let fitted = reports.cost else {
            let why = reports.count == 0 ? "have no reports of builds (finished)" : "report builds that cost nothing"
            throw Failure.usage(
                "--build-cost log: the logs \(why); give a cost, as --build-cost 8ms, or record a program that reports"
                    + " its builds")
        }
        Terminal.say("settle: a build costs \(fitted), by \(counted(reports.count, "report"))")
        return fitted
    }
}
