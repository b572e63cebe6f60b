import Foundation
import TestSupport
import XCTest

/// What the verbs say of a log whose end is missing.
final class DamagedLogTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func run(_ arguments: String...) throws -> (status: Int32, said: String) {
        let running = try Running(arguments, folder)
        let status = running.status()
        return (status, running.output + running.errors)
    }

    func testWhatACutOffEndHeldIsSaidToBeUnknown() throws {
        let log = folder.file("log.settle")
        XCTAssertEqual(try run("convert", Recordings.log("w04_mutter"), log).status, 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: log))
        try whole.prefix(whole.count - 200).write(to: URL(fileURLWithPath: log))

        let recovered = try run("recover", log, folder.file("whole.settle"))
        XCTAssertEqual(recovered.status, 1)
        XCTAssert(
            recovered.said.contains("0 events recovered, at least 172 lost, and whether more are is unknown"),
            recovered.said)

        let appended = try run("record", "--append", Recordings.log("w04_mutter"), log)
        XCTAssertEqual(appended.status, 0, appended.said)
        XCTAssert(appended.said.contains("were torn and cut off"), appended.said)
        XCTAssert(appended.said.contains("is unknown and stays so"), appended.said)
        XCTAssert(try run("replay", "--json", log).said.contains("\"complete\":null,"))
        let again = try run("recover", log, folder.file("again.settle"))
        XCTAssertEqual(again.status, 1)
        XCTAssert(again.said.contains("172 events recovered, whether any is lost is unknown"), again.said)
    }

    func testALostHeaderIsSaidWithWhatIsAssumedAlsoWhereEventsAreLost() throws {
        let log = folder.file("log.settle")
        XCTAssertEqual(try run("convert", Recordings.log("w06_weston_long"), log).status, 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: log))
        let header = "the header lost (clock monotonic and unit px are assumed)"
        for (cut, said) in [
            (1, "18,510 events recovered, \(header)\n"), (300, "17,486 events recovered, 1,024 lost; \(header)\n"),
        ] {
            try whole.dropFirst(cut).write(to: URL(fileURLWithPath: log))
            let recovered = try run("recover", "--force", log, folder.file("whole.settle"))
            XCTAssertEqual(recovered.status, 1)
            XCTAssert(recovered.said.contains(said), recovered.said)
        }
    }
}
