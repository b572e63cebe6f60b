import XCTest

@testable import SettleCommand

final class LiveMessagesTests: XCTestCase {
    private final class View: LiveView {
        var said: [String] = []
        func say(_ text: String) { said.append(text) }
    }

    /// A table shows the last message, and takes what it has shown with it.
    func testWhatATableShowsIsKeptUpToAHundred() {
        let view = View()
        var printed: [String] = []
        var messages = LiveMessages(view) { printed.append($0) }
        XCTAssertEqual(messages.shown, [])
        for number in 1...103 { messages.say("message \(number)") }
        XCTAssertEqual(view.said, (1...103).map { "message \($0)" })
        XCTAssertEqual(messages.shown, (4...103).map { "message \($0)" })
        XCTAssertEqual(printed, [])
    }

    func testWithoutATableAMessageIsPrintedAtOnce() {
        var printed: [String] = []
        var messages = LiveMessages(nil) { printed.append($0) }
        for text in ["one", "two"] { messages.say(text) }
        XCTAssertEqual(printed, ["settle: one", "settle: two"])
        XCTAssertEqual(messages.shown, [])
    }
}
