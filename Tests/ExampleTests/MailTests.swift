import Foundation
import TestSupport
import XCTest

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The mail app's stories and replays: what it draws follows from the rules of columns.
final class MailTests: XCTestCase {
    private func play(_ story: String, _ environment: [String: String] = [:]) throws -> ProgramRun {
        let script = ["UIKIT_SCRIPT": stories.appendingPathComponent("\(story).script").path]
        return try ProgramRun("settle-mail", environment: environment.merging(script) { $1 })
    }

    /// What is drawn for each command, without the megabytes.
    private func drawn(_ run: ProgramRun) -> [String] {
        run.lines.compactMap { line in
            guard let at = line.range(of: "mail: draws the ") else { return nil }
            return line[at.upperBound...].split(separator: ",").prefix(2).joined(separator: ",")
        }
    }

    /// Columns have 260 and 340 points at first, a drag stops at 200, the message has the rest;
    /// images leave 20 points at each side, have at most 672 and two pixels per point.
    func testImagesAreDrawnOnceForEachWidthThatSettles() throws {
        let run = try play("mail", ["UIKIT_TRACE": "full"])
        XCTAssertEqual(run.status, 0, run.errors)
        XCTAssertEqual(run.errors, "")
        XCTAssertEqual(
            drawn(run),
            [
                "3 images of Photos of the harbour, 768×512",
                "2 images of The new kitchen, 768×512",
                // The separator, first the mailboxes' and not against its stop; the inspector.
                "2 images of The new kitchen, 888×592",
                "2 images of The new kitchen, 560×373",
                // Landscape, the inspector's separator, the narrow window and the wide one.
                "2 images of The new kitchen, 1032×688",
                "2 images of The new kitchen, 892×594",
                "2 images of The new kitchen, 920×613",
                "2 images of The new kitchen, 1240×826",
                // Without mailboxes they are as wide as they can be until the device is rotated.
                "2 images of The new kitchen, 1344×896",
                "2 images of The new kitchen, 1128×752",
                "2 images of The new kitchen, 728×485",
                "2 images of The new kitchen, 560×373",
            ])
    }

    func testColumnsAreStackedAndShownAgain() throws {
        let said = try play("mail", ["UIKIT_TRACE": "brief"]).lines
        let narrow = try XCTUnwrap(said.firstIndex { $0.hasSuffix("mail: stacks the columns") })
        let wide = try XCTUnwrap(said.firstIndex { $0.hasSuffix("mail: shows columns") })
        XCTAssertLessThan(try XCTUnwrap(said.firstIndex(of: "> drag 500x700 200")), narrow)
        XCTAssertLessThan(narrow, try XCTUnwrap(said.firstIndex(of: "> dismiss")))
        XCTAssertLessThan(try XCTUnwrap(said.firstIndex(of: "> drag 1200x800 200")), wide)
        // Collapsed, the inspector is a sheet, which a person dismisses.
        let sheet = said[narrow..<wide].filter { $0.hasSuffix(" its inspector column") }
        XCTAssertEqual(
            sheet.map { $0.trimmingCharacters(in: .whitespaces) },
            [
                "mail: shows its inspector column", "mail: hides its inspector column",
            ])
    }

    func testAPhoneShowsTabsAndColumnsInLandscape() throws {
        let phone = ["UIKIT_PLATFORM": "phone", "UIKIT_SCREEN": "430x932", "UIKIT_TRACE": "brief"]
        let run = try play("mail-phone", phone)
        XCTAssertEqual(run.status, 0, run.errors)
        // The tab's message keeps its images while columns are shown.
        XCTAssertEqual(
            drawn(run),
            ["3 images of Photos of the harbour, 1170×780", "3 images of Photos of the harbour, 876×584"])
        let layouts = run.lines.compactMap { line -> String? in
            line.hasSuffix("mail: shows tabs") || line.hasSuffix("mail: shows columns")
                ? line.trimmingCharacters(in: .whitespaces) : nil
        }
        XCTAssertEqual(layouts, ["mail: shows tabs", "mail: shows columns", "mail: shows tabs"])
    }

    func testReplaysDrawNothingWhileAPersonResizes() throws {
        for name in Recordings.names {
            let run = try ProgramRun("settle", ["replay", Recordings.log(name), "--app", "mail", "--trace", "brief"])
            XCTAssertEqual(run.status, 0, name)
            XCTAssertEqual(run.errors, "", name)
            XCTAssertGreaterThan(run.lines(of: " mail: draws", name).count, 0, name)
        }
    }

    /// At least five sizes of the story are drawn, each as SVG with the message.
    func testTheStorysLayoutsAreDrawn() throws {
        let folder = TemporaryFolder()
        let run = try play("mail", ["UIKIT_TRACE": "svg:\(folder.file("drawings"))"])
        XCTAssertEqual(run.status, 0, run.errors)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("drawings"))
        XCTAssertGreaterThanOrEqual(Set(files.map { $0.dropFirst(5) }).count, 5, "\(files)")
        for file in files {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file("drawings/\(file)")))
            XCTAssert(XMLParser(data: data).parse(), file)
            XCTAssert(String(decoding: data, as: UTF8.self).contains("MessageViewController “"), file)
        }
    }

    func testStoriesAndRecordingsGiveTheGoldenTraces() throws {
        XCTAssertNil(try Golden.difference("mail/mail", play("mail", ["UIKIT_TRACE": "brief"]).output))
        let phone = ["UIKIT_PLATFORM": "phone", "UIKIT_SCREEN": "430x932", "UIKIT_TRACE": "brief"]
        XCTAssertNil(try Golden.difference("mail/mail-phone", play("mail-phone", phone).output))
        for name in Golden.recordings {
            let run = try ProgramRun(
                "settle", ["replay", Recordings.log(name), "--app", "mail", "--trace", "brief"])
            XCTAssertEqual(run.errors, "", name)
            XCTAssertNil(try Golden.difference("mail/\(name)", run.output))
        }
    }

    func testAnUnknownURLIsReported() throws {
        let folder = TemporaryFolder()
        let script = folder.file("urls.script")
        try "open mail://message/99\nopen mail://mailbox/none\nopen http://example.org\n".write(
            toFile: script, atomically: true, encoding: .utf8)
        let run = try ProgramRun("settle-mail", environment: ["UIKIT_SCRIPT": script])
        XCTAssertEqual(run.lines.filter { $0.contains("mail: cannot open ") }.count, 3, run.output)
    }
}
