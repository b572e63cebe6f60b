import XCTest

@testable import SettleDemo

final class DemoOptionsTests: XCTestCase {
    private func options(_ words: String...) throws -> DemoOptions {
        guard case .run(let options) = try DemoOptions.parse(words) else { throw XCTSkip("prints") }
        return options
    }

    private func fault(_ words: String...) -> String? {
        do {
            _ = try DemoOptions.parse(words)
            return nil
        } catch {
            return error.status == 2 ? error.message : "status \(error.status)"
        }
    }

    func testOptionsAreRead() throws {
        let read = try options(
            "--x11", "--cost=20ms", "--size", "1000x500", "--seconds", "1.5", "--screenshot", "a.png", "--record",
            "a.jsonl", "--force", "--report")
        XCTAssertEqual(read.system, .x11)
        XCTAssertEqual(read.cost, .milliseconds(20))
        XCTAssertEqual(read.size, PixelSize(width: 1000, height: 500))
        XCTAssertEqual(read.duration, .seconds(1.5))
        XCTAssertEqual(read.screenshot, "a.png")
        XCTAssertEqual(read.record, "a.jsonl")
        XCTAssertTrue(read.replacesScreenshot && read.printsReport)
        XCTAssertNil(try options().system)
        XCTAssertEqual(try options("--size", "320x200").size, WindowLayout.minimum)
    }

    /// No option's value is lost by another one, whichever comes first.
    func testOptionsKeepTheirValuesBesideOthers() throws {
        for words in [["--prepared", "--cost", "80ms"], ["--cost", "80ms", "--prepared"]] {
            guard case .run(let read) = try DemoOptions.parse(words) else { return XCTFail("\(words)") }
            XCTAssertEqual(read.cost, .milliseconds(80))
            XCTAssertTrue(read.isPrepared)
        }
    }

    func testEveryOptionIsInTheHelp() {
        for name in DemoOptions.names { XCTAssertTrue(DemoOptions.help.contains("--\(name)"), name) }
    }

    func testTheHelpHasTheDefaults() throws {
        let options = try options()
        let prepared = try self.options("--prepared")
        for text in [
            "--cost \(Int(options.cost / .milliseconds(1)))ms ", "--size \(options.size) ",
            "with --prepared \(Int(prepared.cost / .milliseconds(1)))ms",
        ] {
            XCTAssertTrue(DemoOptions.help.contains(text), text)
        }
    }

    func testFaultsNameTheWord() {
        XCTAssertEqual(fault("--repot"), "there is no option '--repot'; did you mean '--report'?")
        XCTAssertEqual(fault("--seconds"), "--seconds needs a value")
        XCTAssertEqual(fault("window"), "'window' is not an option")
        for words in [
            ["--seconds", "0"], ["--seconds", "nan"], ["--seconds", "1e9"], ["--size", "319x200"],
            ["--size", "320x199"],
            ["--size", "320x8193"],
            ["--size", "9000x600"],
            ["--size", "900"], ["--size", "900x600x3"], ["--cost", "80"], ["--cost", "0ms"], ["--cost", "nanms"],
            ["--naive", "every"], ["--report=yes"], ["--wayland", "--x11"],
        ] {
            do {
                _ = try DemoOptions.parse(words)
                XCTFail("\(words) is accepted")
            } catch {
                XCTAssertEqual(error.status, 2)
                XCTAssertTrue(error.message.contains(words[0]) || words[0].hasPrefix("--report"), error.message)
            }
        }
    }
}
