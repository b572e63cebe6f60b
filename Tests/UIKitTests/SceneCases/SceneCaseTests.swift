import TestSupport
import XCTest

/// Runs `Tests/Cases/scenes/*.scene`, one test for each file:
/// `swift test --filter SceneCaseTests/testPlacement` runs `placement.scene`, and
/// `SCENE_CASE="a phone" swift test --filter SceneCaseTests` the cases whose first line contains that.
@MainActor final class SceneCaseTests: XCTestCase {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Cases/scenes").standardizedFileURL

    func testPlacement() async throws { try check() }
    func testTabSelection() async throws { try check() }
    func testTabGroups() async throws { try check() }
    func testSplitModes() async throws { try check() }
    func testInspector() async throws { try check() }
    func testCollapse() async throws { try check() }
    func testSeparators() async throws { try check() }
    func testNavigation() async throws { try check() }
    func testPresentation() async throws { try check() }
    func testCallbacks() async throws { try check() }
    func testColumns() async throws { try check() }
    func testConstraints() async throws { try check() }
    func testMargins() async throws { try check() }
    func testSafeArea() async throws { try check() }
    func testWindows() async throws { try check() }
    func testOrientation() async throws { try check() }
    func testSizes() async throws { try check() }

    /// The file of a test: `testTabGroups` runs `tab-groups.scene`.
    private static func name(of test: some StringProtocol) -> String {
        test.dropFirst("test".count).prefix { $0.isLetter }.reduce(into: "") { name, letter in
            name += letter.isUppercase && !name.isEmpty ? "-" : ""
            name += letter.lowercased()
        }
    }

    private static let environment = ProcessInfo.processInfo.environment

    private func check(_ test: String = #function) throws {
        let name = Self.name(of: test)
        let path = Self.folder.appendingPathComponent("\(name).scene").path
        let cases = try SceneCase.all(in: String(contentsOfFile: path, encoding: .utf8)).filter {
            Self.environment["SCENE_CASE"].map($0.title.contains) ?? true
        }
        guard !cases.isEmpty else {
            throw XCTSkip("no case of \(path) is \"\(Self.environment["SCENE_CASE"] ?? "")\"")
        }
        let aftermaths = cases.map { SceneAftermath(behind: $0) }
        for fault in aftermaths.flatMap(\.faults) {
            recordFailure(withDescription: fault.text, inFile: path, atLine: fault.number, expected: true)
        }
        let file = Self.folder.appendingPathComponent("aftermath/\(name).txt")
        let numbers = zip(aftermaths, cases).map { ($0.number, $1.title) }
        for fault in try Aftermath.faults(numbers, file: file, isWhole: Self.environment["SCENE_CASE"] == nil) {
            let scene = cases.first { fault.hasPrefix("\($0.title): ") }
            recordFailure(withDescription: fault, inFile: path, atLine: scene?.number ?? 1, expected: true)
        }
    }

    /// Two cases that expect the same differ in what is found behind them.
    func testAnAftermathHasWhatNoCaseExpects() async throws {
        func number(_ view: String) throws -> String {
            let text = "a view\npad 900x700; show a; views v; a.view.addSubview v; \(view)\n= a.view.frame 0 0 900 700"
            let aftermath = SceneAftermath(behind: try SceneCase.all(in: text)[0])
            XCTAssertTrue(aftermath.faults.isEmpty, view)
            return aftermath.number
        }
        let one = try number("v.frame 1 2 30 40")
        XCTAssertEqual(try number("v.frame 1 2 30 40"), one)
        for other in [
            "v.frame 1 2 30 41", "v.frame 1 2 30 40; v.isHidden true",
            "v.frame 1 2 30 40; a.isModalInPresentation true",
        ] {
            XCTAssertNotEqual(try number(other), one, other)
        }
    }

    func testEachFileIsRun() async throws {
        let tests = try String(contentsOfFile: #filePath, encoding: .utf8).matches(
            of: /func (test\w+)\(\).*try check\(\)/)
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".scene")
        }
        XCTAssertEqual(Set(files), Set(tests.map { "\(Self.name(of: $0.1)).scene" }))
    }

    /// What is a command of scripts means the same in a case.
    func testNoVerbIsACommandOfScripts() async {
        let commands = Set(SceneWorld.scriptCommands)
        XCTAssertTrue(commands.contains("rotate"))
        XCTAssertEqual(commands.intersection(SceneWorld.verbs.keys), [])
    }

    /// What a case cannot hide: each of these is a fault.
    func testFaultsOfCasesAreFound() async throws {
        for (text, fault) in [
            ("no expectation\npad", "ends with what it expects"),
            ("one too early\npad\n= placement top\nwait 1s", "ends with"),
            ("a name\neach a | b: 1 | 2\n= $a 1", "$b is not used"),
            ("a longer name\neach a | ab: 1 | 2\n= $ab 1", "$a is not used"), ("pad; show c\n= calls none", "in words"),
            ("a row\neach a | b: 1\n= $a $b", "2 values"),
            ("a name\n= $a", "nothing stands for"), ("an each\neach a\n= $a", "each NAME"),
        ] { assertError(try SceneCase.all(in: text), fault) }
        for (lines, fault) in [
            ("pad; jump\n= logged 0 x", "not a command"), ("pad; kill\n= logged 0 x", "ends the process"),
            ("pad\n= height 3", "no observable"), ("pad\n=", "nothing after"), ("pad\n= ;", "a word is missing"),
            ("pad\n= logged 1 x", "actual    logged 0 x"), ("pad; views a; a.jump\n= logged 0 x", "has no 'jump'"),
            ("pad; views a; a.frame 1 2 3\n= logged 0 x", "4 numbers"),
            ("pad; views a; a.frame 1 2 3 4 5\n= logged 0 x", "5"),
            ("pad; views a; a.isHidden maybe\n= logged 0 x", "maybe"), ("pad\n= a.frame 0", "no object 'a'"),
            ("pad; on a loaded: wait 1s\n= logged 0 x", "has not happened"), ("wait 1s\n= calls none", "no platform"),
            ("pad\n= refused x: wait 1s", "actual    refused none: wait 1s"),
            ("pad\n= refused wait 1s", "TEXT: ACTION"),
            ("pad; views a; a.width == b.width\n= logged 0 x", "no object 'b'"), ("pad 0x1\n= calls none", "pad 0x1"),
            ("pad 500x500 colour=red\n= calls none", "colour"), ("pad; views a a\n= calls none", "a second 'a'"),
        ] {
            let found = try SceneCase.all(in: "a fault\n\(lines)").flatMap { $0.run().map(\.text) }
            XCTAssertEqual(found.count, 1, lines)
            XCTAssertTrue(found.contains { $0.contains(fault) }, "\(lines): \(found)")
        }
    }
}
