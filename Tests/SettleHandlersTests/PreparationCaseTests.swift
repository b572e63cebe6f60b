import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// The cases of Tests/Cases/preparations, by an engine and a rebuilder's queue.
final class PreparationCaseTests: XCTestCase {
    func testEachCaseIsPlayedAsItIsDrawn() throws {
        var count = 0
        for file in try Recordings.cases(of: "preparations") {
            let text = try String(contentsOf: file, encoding: .utf8) + "\n"
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            var (name, rows): (Substring?, [Substring: String]) = (nil, [:])
            for (index, line) in lines.enumerated() where line.first != "#" {
                if name == nil {
                    name = line.isEmpty ? nil : line
                } else if !line.isEmpty, line != "-" {
                    let word = line.prefix { $0 != " " }
                    rows[word] = String(line[word.endIndex...].drop { $0 == " " })
                } else if let drawn = name {
                    if rows["without"]?.contains("swift") != true {
                        let played = try PlayedDrawing(rows)
                        XCTAssertEqual(played.problems, [], "\(file.lastPathComponent):\(index): \(drawn)")
                        count += 1
                    }
                    (name, rows) = (line.isEmpty ? nil : drawn, [:])
                }
            }
        }
        XCTAssertGreaterThan(count, 20)
    }
}

private final class PlayedDrawing {
    private struct Build {
        let number: UInt64
        let size: Size
        let begun: Timestamp
        let isPreparation: Bool
        var isCancelled = false
    }

    private static let column = Duration.milliseconds(10)
    private var engine: Engine
    private let scene: SceneID
    private var queue = RebuildQueue(concurrency: 1, reportsEnds: true, reportsPreviews: true, prepares: true)
    private var now = Timestamp(nanoseconds: 0)
    private var running: Build?
    /// Results that are neither shown nor dropped.
    private var left = 0
    private var column = 0
    private var rows: [String: [Character]] = [:]
    private var reports: [String] = []
    private(set) var problems: [String] = []

    init(_ drawn: [Substring: String]) throws {
        var policy = Policy.prepared
        (policy.pauseDelay, policy.releasedEndDelay) = (Self.column * 3, Self.column * 2)
        (policy.discreteDelay, policy.quietDelay) = (Self.column * 4, Self.column * 8)
        (policy.jumpDelay, policy.interactionTimeout) = (nil, nil)
        engine = try Engine(.init(policy: policy, scenesMax: 1))
        scene = try engine.connect()
        let inputs = ["button", "size", "call", "end"].map { Array(drawn[$0[...]] ?? "") }
        // The size a is built and shown long before.
        play(size: "a")
        now = now.advanced(by: .seconds(1))
        play(end: "1")
        now = now.advanced(by: .seconds(1))
        for row in ["begin", "cancel", "show", "drop"] { rows[row] = inputs[1].map { _ in "." } }
        reports = []
        for column in inputs[1].indices {
            self.column = column
            let cells = inputs.map { $0.isEmpty ? "." : $0[column] }
            play(button: cells[0], size: cells[1], call: cells[2], end: cells[3])
            now = now.advanced(by: Self.column)
        }
        for (row, seen) in rows.sorted(by: { $0.key < $1.key }) where seen != Array(drawn[row[...]] ?? "") {
            if drawn[row[...]] != nil || seen.contains(where: { $0 != "." }) {
                problems.append("\(row) \(String(seen))")
            }
        }
        if reports.joined(separator: "; ") != drawn["="] ?? "" { problems.append("= \(reports)") }
        if left != queue.statistics.previews.held { problems.append("\(left) results are held") }
    }

    private func play(button: Character = ".", size: Character = ".", call: Character = ".", end: Character = ".") {
        if button != "." { submit(.pointer(button: 1, at: now, isPressed: button == "v")) }
        if size != "." { submit(.geometry(scene, at: now, size: .wide(100 + 10 * Int(size.asciiValue! - 97)))) }
        if call == "f" { submit(.flush(scene, at: now)) }
        if call == "d" { perform(queue.dropPrepared()) }
        submit(nil)
        if end != "." { self.end(isDone: end == "1") }
    }

    /// An event, or nothing: time passes.
    private func submit(_ event: Event?) {
        var decisions: [Decision] = []
        if let event {
            engine.submit(event) { decisions.append($0) }
        } else {
            engine.advance(to: now) { decisions.append($0) }
        }
        for decision in decisions {
            switch decision.kind {
            case .rebuild(let rebuild): perform(queue.submit(scene, rebuild))
            case .preview(let size, let generation): perform(queue.preview(scene, size, generation: generation))
            case .interactionEnded: perform(queue.interactionEnded(scene))
            default: break
            }
        }
        let isOwed = engine.isInteracting(scene) || engine.isPending(scene)
        for scene in queue.scenesToFollow() {
            perform(queue.follow(scene, size: engine.size(of: scene), isOwed: isOwed))
        }
    }

    private func perform(_ actions: [RebuildQueue.Action]) {
        // What was cancelled is no loss.
        for case let build as Build in queue.drainDiscarded() {
            left -= 1
            if !build.isCancelled { mark("drop", build.size) }
        }
        for action in actions {
            switch action {
            case .preview(_, let size, let number): begin(number, size, isPreparation: true)
            case .build(_, let rebuild, let number):
                guard let made = queue.takePrepared(scene, run: number) as? Build else {
                    begin(number, rebuild.size, isPreparation: false)
                    continue
                }
                left -= 1
                if made.size != rebuild.size { problems.append("\(made.size) is shown at \(rebuild.size)") }
                mark("show", made.size)
                perform(queue.ended(scene, .returned))
            case .cancel:
                running?.isCancelled = true
                mark("cancel", running?.size)
            case .reportEnd(_, let generation, let cost):
                report("finished", cost)
                submit(.finished(scene, at: now, generation: generation, cost: cost))
                perform(queue.reported(scene))
            case .reportPreview(_, let generation, let cost, let isKept):
                report("previewed", cost, isKept ? "" : " givenUp")
                submit(.previewed(scene, at: now, generation: generation, cost: cost, isKept: isKept))
                perform(queue.reported(scene))
            case .reportGivenUp(_, let generation):
                report("previewed", .zero, " givenUp")
                submit(.previewed(scene, at: now, generation: generation, cost: .zero, isKept: false))
            case .report(_, let size):
                submit(.reallyBuilt(scene, at: now, size: size))
                perform(queue.reported(scene))
            case .retry, .dropRetry, .flush, .waitForBudget: problems.append("\(action)")
            }
        }
    }

    private func begin(_ number: UInt64, _ size: Size, isPreparation: Bool) {
        if running != nil { problems.append("two builds at a time") }
        running = Build(number: number, size: size, begun: now, isPreparation: isPreparation)
        mark("begin", size)
    }

    private func end(isDone: Bool) {
        guard let build = running.take() else { return problems.append("nothing runs at column \(column)") }
        let time = now - build.begun
        if build.isPreparation {
            left += isDone ? 1 : 0
            perform(queue.previewEnded(scene, isDone ? .returned : .threw, after: time, asset: isDone ? build : nil))
        } else if isDone, !build.isCancelled {
            mark("show", build.size)
            perform(queue.ended(scene, .returned, after: time))
        } else {
            _ = queue.failed(scene, run: build.number, "planned")
            perform(queue.ended(scene, .threw, after: time))
        }
    }

    private func mark(_ row: String, _ size: Size?) {
        rows[row]?[column] = size.map { Character(Unicode.Scalar(UInt8(97 + ($0.width - 100) / 10))) } ?? "?"
    }

    private func report(_ kind: String, _ cost: Duration, _ more: String = "") {
        reports.append("\(kind) \(cost.components.attoseconds / 1_000_000_000_000_000)ms\(more)")
    }
}
