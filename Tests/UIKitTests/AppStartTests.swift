import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

/// Apps that start by `@main`, as processes.
final class AppStartTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func infoPlist() throws -> String {
        let plist: [String: Any] = [
            "UIApplicationSceneManifest": [
                "UISceneConfigurations": [
                    "UIWindowSceneSessionRoleApplication": [
                        ["UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).SceneDelegate"]
                    ]
                ]
            ]
        ]
        let path = folder.file("Info.plist")
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path))
        return path
    }

    private struct Run {
        var output: [String]
        var errors: String
        var status: Int32
    }

    /// Runs the app to its end; once it has said `word`, it is asked to end.
    private func run(_ environment: [String: String], until word: String? = nil) throws -> Run {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("SceneApp")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
            if let word, text.contains(word) { process.terminate() }
        }
        let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n").map(String.init)
        return Run(output: lines, errors: problem, status: process.terminationStatus)
    }

    func testAnAppRunsLiveAndItsStateComesBackInTheNextProcess() throws {
        let environment = [
            "UIKIT_INFO_PLIST": try infoPlist(), "UIKIT_STATE": folder.file("state"), "UIKIT_PLATFORM": "phone",
            "UIKIT_SCREEN": "300x500",
        ]
        for visit in 1...2 {
            let run = try run(environment, until: "task")
            XCTAssertEqual(
                run.output,
                [
                    "launched", "active, visit \(visit)", "hello at 300.0×500.0", "timer", "task",
                    "background, 1 rebuilds, ", "terminates",
                ])
            XCTAssertEqual(run.errors, "")
            XCTAssertEqual(run.status, 0)
        }
    }

    func testAnAppReplaysALog() throws {
        let log = Recordings.log("w04_mutter")
        let run = try run(["UIKIT_INFO_PLIST": try infoPlist(), "UIKIT_REPLAY": log])
        XCTAssertEqual(run.status, 0)
        var expected: [String: Int] = [:]
        let replay = try LogReplay(LogReader(path: log), policy: .uikit)
        func count(_ decision: Decision, _ scene: String) {
            if case .rebuild = decision.kind { expected[scene, default: 0] += 1 }
        }
        while try replay.readNext() { replay.submit(deliver: count) }
        replay.finish(deliver: count)
        XCTAssertFalse(expected.isEmpty)
        for (scene, rebuilds) in expected {
            XCTAssertTrue(run.output.contains("background, \(rebuilds) rebuilds, \(scene)"), "\(run.output)")
        }
    }

    func testAnAppWithoutScenesIsRefusedAfter26() throws {
        let run = try run(["UIKIT_OS": "27", "UIKIT_SDK": "27", "UIKIT_STATE": folder.file("state")])
        XCTAssertEqual(run.status, 1)
        XCTAssertTrue(run.errors.contains("UIScene lifecycle is required"), run.errors)
    }

    func testWhatNoConstraintCanMeanStopsTheAppAndNamesBothClasses() throws {
        let faults = [
            "apart": ["Badge", "UIView"], "guide": ["Badge", "UILayoutGuide"],
            "kinds": ["width of Badge", "left of UIView"],
            "sides": ["leading of Badge", "left of UIView"], "owner": ["Badge", "Guide"],
            "priority": ["Badge", "UIView", "from 1000.0 to 250.0"],
        ]
        try check(faults)
    }

    func testWhatNoContainerCanShowStopsTheAppAndNamesBothClasses() throws {
        try check([
            "identifiers": ["UITabBarController", "Section"], "foreign tab": ["Section", "UITabBarController"],
            "foreign pane": ["Page", "UITabBarController"], "foreign child": ["Section", "UITabGroup"],
            "twice": ["Page", "UINavigationController"], "same twice": ["Page", "UINavigationController"],
            "stack in stack": ["UINavigationController"], "not on the stack": ["Page", "UINavigationController"],
            "child presented": ["Page", "UIViewController"], "tabs as primary": ["Panes", "Columns", "primary"],
            "child of itself": ["UIViewController"], "parent in child": ["UINavigationController", "UIViewController"],
            "tabs as supplementary": ["Panes", "Columns", "supplementary"], "no third column": ["Page", "Columns"],
        ])
    }

    func testWhatContainsItselfStopsTheAppAndNamesBothClasses() throws {
        try check([
            "container in child": ["UIViewController", "Page"], "child of itself": ["UIViewController"],
            "group in itself": ["Group g", "within it"], "group in child": ["UITabGroup h", "Group g"],
            "endless provider": ["viewControllerProvider", "Section a"],
        ])
    }

    /// Each fault stops the app, with a message that has the words.
    private func check(_ faults: [String: [String]]) throws {
        for (fault, words) in faults {
            let run = try run([
                "SCENE_APP_FAULT": fault, "SWIFT_BACKTRACE": "enable=no", "UIKIT_INFO_PLIST": try infoPlist(),
                "UIKIT_STATE": folder.file("state"),
            ])
            XCTAssertNotEqual(run.status, 0, fault)
            XCTAssertFalse(run.output.contains("no fault \(fault)"))
            for word in words { XCTAssertTrue(run.errors.contains(word), "\(fault): \(run.errors)") }
        }
    }

    func testSettingsThatCannotBeUsedAreReported() throws {
        let settings = [
            ("UIKIT_PLATFORM", "toaster"), ("UIKIT_SCREEN", "wide"), ("UIKIT_SCREEN", "0x5"), ("UIKIT_OS", "new"),
            ("UIKIT_INFO_PLIST", "/nowhere/Info.plist"), ("UIKIT_REPLAY", "/nowhere/log.jsonl"),
        ]
        for (name, value) in settings {
            let run = try run([name: value, "UIKIT_STATE": folder.file("state")])
            XCTAssertEqual(run.status, 1, name)
            XCTAssertTrue(run.errors.contains(value), run.errors)
        }
    }
}
