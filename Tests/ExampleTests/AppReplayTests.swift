import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

/// `settle replay LOG --app game` on what was recorded, and what it refuses.
final class AppReplayTests: XCTestCase {
    private func settle(_ arguments: String..., environment: [String: String] = [:], input: String? = nil) throws
        -> ProgramRun
    {
        try ProgramRun("settle", ["replay"] + arguments, environment: environment, input: input)
    }

    func testRecordingsGiveTheGoldenTraces() throws {
        for name in Golden.recordings {
            let run = try settle(Recordings.log(name), "--app", "game", "--trace", "brief")
            XCTAssertEqual(run.status, 0, name)
            XCTAssertEqual(run.errors, "", name)
            XCTAssertNil(try Golden.difference(name, run.output))
        }
    }

    /// Drawn from the rules rather than from a golden file: the game paints for each rebuild that the engine
    /// decides and never under a hand, and the brief trace leaves out no more than the middle of a resize.
    func testReplaysOfAllRecordingsFollowTheRules() throws {
        for name in Recordings.names {
            let brief = try settle(Recordings.log(name), "--app", "game", "--trace=brief")
            XCTAssertEqual(brief.status, 0, name)
            XCTAssertEqual(brief.errors, "", name)
            let paints = brief.lines(of: " game: paints ", name)
            let sizes = paints.map { $0.line.split(separator: " ").first { $0.contains("×") }?.dropLast() ?? "" }
            XCTAssertEqual(try rebuilds(name), zip(paints, sizes).map { "\($0.scene) \($1)" }.sorted(), name)
            guard Golden.recordings.contains(name) else { continue }
            let full = try settle(Recordings.log(name), "--app", "game")
            XCTAssertEqual(full.lines(of: " game: ", name).map(\.line), brief.lines.filter { $0.contains(" game: ") })
            XCTAssertEqual(callbacks(brief), callbacks(full), name)
            XCTAssertLessThan(brief.lines.count, full.lines.count, name)
        }
    }

    /// The rebuilds that the engine decides for a recording, each with its scene. The game's windows have at least
    /// 480×320 points, and a size that only differs below that is no other.
    private func rebuilds(_ name: String) throws -> [String] {
        var (rebuilds, built): ([String], [String: String]) = ([], [:])
        func receive(_ decision: Decision, _ scene: String) {
            guard case .rebuild(let rebuild) = decision.kind else { return }
            let size = "\(scene) \(Int(max(480, rebuild.size.width)))×\(Int(max(320, rebuild.size.height)))"
            if rebuild.reason == .first || built[scene] != size { rebuilds.append(size) }
            built[scene] = size
        }
        let replay = try LogReplay(LogReader(path: Recordings.log(name)), policy: .uikit)
        while try replay.readNext() { replay.submit(deliver: receive) }
        replay.finish(deliver: receive)
        return rebuilds.sorted()
    }

    /// A line for each callback, or `17 sizes` for so many.
    private func callbacks(_ run: ProgramRun) -> Int {
        run.lines.reduce(0) { sum, line in
            let words = line.split(separator: " ")
            guard line.contains(" s  ") else { return sum }
            guard let at = words.firstIndex(of: "sizes,"), let count = Int(words[at - 1]) else { return sum + 1 }
            return sum + count
        }
    }

    func testStandardInputAndAProgramByPath() throws {
        let log = Recordings.log("w04_mutter")
        XCTAssertNil(
            try Golden.difference("w04_mutter", settle("-", "--app=game", "--trace", "brief", input: log).output))
        let program = Bundle.main.bundleURL.appendingPathComponent("settle-game").path
        XCTAssertNil(try Golden.difference("w04_mutter", settle(log, "--app", program, "--trace", "brief").output))
        let direct = try ProgramRun("settle-game", environment: ["UIKIT_REPLAY": log, "UIKIT_TRACE": "brief"])
        XCTAssertNil(try Golden.difference("w04_mutter", direct.output))
        XCTAssert(try settle("--help").output.contains("UIKIT_REPLAY=LOG"))
    }

    func testWhatCannotBeRunIsReportedWithWhatToDo() throws {
        let log = Recordings.log("w04_mutter")
        let folder = TemporaryFolder()
        let text = folder.file("notes.txt")
        try "no program".write(toFile: text, atomically: true, encoding: .utf8)
        let broken = folder.file("broken")
        try "no program either".write(toFile: broken, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broken)
        let cases: [([String], Int32, String)] = [
            ([log, "--app", "gmae"], 2, "there is no example app 'gmae' beside settle"),
            ([log, "--app", "./no/such"], 3, "./no/such: No such file or directory"),
            ([log, "--app", text], 3, "is not a program that can be run"),
            ([log, "--app", folder.path], 3, "is not a program that can be run"),
            ([log, "--app", broken], 3, "cannot be run: Exec format error"),
            ([folder.file("no.jsonl"), "--app", "game"], 3, "no.jsonl: No such file or directory"),
            (["--app", "game"], 2, "which log?"),
            ([log, "--app", "game", "--trace", "loud"], 2, "known are full, brief and svg:FOLDER"),
            ([log, "--app", "game", "--trace", "svg:"], 2, "known are full, brief and svg:FOLDER"),
            ([log, "--app", "game", "--rate", "1"], 2, "--rate does not go with it"),
            ([log, "--trace", "full"], 2, "name one by --app"),
            ([text, "--app", "game"], 1, "neither the content nor the file name shows the format"),
        ]
        for (arguments, status, message) in cases {
            let run = try ProgramRun("settle", ["replay"] + arguments)
            XCTAssertEqual(run.status, status, "\(arguments)")
            XCTAssert(run.errors.contains(message), "\(arguments): \(run.errors)")
        }
    }

    func testTheManifestIsMissedAndItsFaultsAreNamed() throws {
        let folder = TemporaryFolder()
        let log = Recordings.log("w04_mutter")
        let none = try settle(log, "--app", "game", environment: ["UIKIT_INFO_PLIST": folder.file("Info.plist")])
        XCTAssertEqual(none.status, 1)
        XCTAssert(none.errors.contains(folder.file("Info.plist")), none.errors)
        // The program alone, away from its resources.
        let program = folder.file("game")
        try FileManager.default.copyItem(
            at: Bundle.main.bundleURL.appendingPathComponent("settle-game"), to: URL(fileURLWithPath: program))
        let alone = try settle(log, "--app", program)
        XCTAssertEqual(alone.status, 1)
        XCTAssert(alone.errors.contains("The app has no scene manifest"), alone.errors)
        XCTAssert(alone.errors.contains("no scene configuration \"Cockpit\""), alone.errors)
    }

    func testAFaultyLogIsReplayedUpToItsFault() throws {
        let folder = TemporaryFolder()
        let path = folder.file("faulty.jsonl")
        let lines = try String(contentsOfFile: Recordings.log("w04_mutter"), encoding: .utf8).split(separator: "\n")
        try (lines.prefix(20).joined(separator: "\n") + "\n{broken\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        let run = try settle(path, "--app", "game", "--trace", "brief")
        XCTAssertEqual(run.status, 1)
        XCTAssert(run.errors.contains("faulty.jsonl: line 21"), run.errors)
        XCTAssert(run.output.contains("paints"), run.output)
    }
}
