import CWindowSystems
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import XCTest

@testable import SettleSources

final class X11NameTests: XCTestCase {
    func testATitleAndTheIdentifierMakeTheName() {
        XCTAssertEqual(x11SceneName(title: "Mail", window: 0x2A0001), "Mail 0x2a0001")
        XCTAssertEqual(x11SceneName(title: "", window: 0x2A0001), "0x2a0001")
    }

    func testALongTitleIsCutAtACharacter() {
        let name = x11SceneName(title: String(repeating: "ä", count: 300), window: 1)
        XCTAssertLessThanOrEqual(name.utf8.count, 200 + " 0x1".utf8.count)
        XCTAssertTrue(name.hasPrefix(String(repeating: "ä", count: 98)))
        XCTAssertTrue(name.hasSuffix("… 0x1"))
    }

    func testOldTextIsLatinOrSwitchesToWhatIsKnown() {
        func decoded(_ text: [UInt8], room: Int = 100) -> String {
            let bytes = text.map { CChar(bitPattern: $0) }
            var utf8 = [CChar](repeating: 0, count: room)
            let length = x11_decode_text(bytes, bytes.count, &utf8, room)
            return String(decoding: utf8.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        func escape(_ rest: String) -> [UInt8] { [0x1B] + Array(rest.utf8) }
        XCTAssertEqual(decoded([0x43, 0x61, 0x66, 0xE9]), "Café")
        XCTAssertEqual(decoded([0xFF, 0x80]), "ÿ\u{80}")
        XCTAssertEqual(decoded(escape("%G") + Array("漢字".utf8) + escape("%@") + [0xE9]), "漢字é")
        XCTAssertEqual(decoded(escape("-A") + [0xDF] + escape("(B") + [0x61]), "ßa")
        XCTAssertEqual(decoded(escape("%G") + Array("é".utf8) + escape("-A") + [0xE9]), "éé")
        XCTAssertEqual(decoded(escape("$(B") + [0x30, 0x6C]), "", "Japanese by JIS")
        XCTAssertEqual(decoded([0x61] + escape("%")), "", "an escape sequence that is cut")
        XCTAssertEqual(decoded([0x61, 0xE9, 0x62], room: 2), "a", "no half character")
        XCTAssertEqual(decoded([]), "")
    }

    func testControlCharactersAreReplaced() {
        let name = x11SceneName(title: "\u{1B}[31mred\n\u{202E}", window: 1)
        XCTAssertEqual(name, "\\u001b[31mred\\u000a\\u202e 0x1")
        let long = x11SceneName(title: String(repeating: "\u{1}", count: 1024), window: .max)
        XCTAssertLessThanOrEqual(long.utf8.count, SceneNames.nameLengthMax)
    }
}

final class X11ButtonsTests: XCTestCase {
    private typealias Button = X11Buttons.Button

    func testTheButtonIsReleasedWhenTheLastPointerReleasesIt() {
        var buttons = X11Buttons()
        XCTAssertEqual(buttons.change(Button(device: 2, number: 1), isPressed: true)?.isPressed, true)
        XCTAssertNil(buttons.change(Button(device: 9, number: 1), isPressed: true))
        XCTAssertNil(buttons.change(Button(device: 2, number: 1), isPressed: false))
        XCTAssertEqual(buttons.change(Button(device: 9, number: 1), isPressed: false)?.isPressed, false)
    }

    func testAPressThatWasAskedForAndIsReportedAsWellCountsOnce() {
        var buttons = X11Buttons()
        XCTAssertEqual(buttons.set([Button(device: 2, number: 3)]), [.init(number: 3, isPressed: true)])
        XCTAssertNil(buttons.change(Button(device: 2, number: 3), isPressed: true))
        XCTAssertEqual(
            buttons.change(Button(device: 2, number: 3), isPressed: false), .init(number: 3, isPressed: false))
        XCTAssertNil(buttons.change(Button(device: 2, number: 3), isPressed: false))
    }

    func testTheWheelIsNoButton() {
        var buttons = X11Buttons()
        for number in UInt32(4)...7 { XCTAssertNil(buttons.change(Button(device: 2, number: number), isPressed: true)) }
        XCTAssertEqual(buttons.change(Button(device: 2, number: 8), isPressed: true)?.number, 8)
    }

    func testTheButtonsOfAPointerThatIsGoneAreReleased() {
        var buttons = X11Buttons()
        _ = buttons.set([Button(device: 2, number: 1), Button(device: 9, number: 1), Button(device: 9, number: 3)])
        XCTAssertEqual(buttons.set([Button(device: 2, number: 1)]), [.init(number: 3, isPressed: false)])
        XCTAssertEqual(buttons.set([]), [.init(number: 1, isPressed: false)])
    }

    func testAButtonThatAnotherPointerTakesOverIsNotReleased() {
        var buttons = X11Buttons()
        _ = buttons.set([Button(device: 2, number: 1), Button(device: 2, number: 3)])
        XCTAssertEqual(
            buttons.set([Button(device: 9, number: 1), Button(device: 9, number: 2)]),
            [.init(number: 2, isPressed: true), .init(number: 3, isPressed: false)])
    }
}

final class X11ScreensTests: XCTestCase {
    private func screen(_ width: UInt32, _ height: UInt32, _ rotation: UInt16, x: Int32 = 0) -> X11Screens.Screen {
        .init(x: x, y: 0, width: width, height: height, rotation: rotation)
    }

    func testEachTurnOfAPanelHasAnOrientation() {
        XCTAssertEqual(
            [screen(800, 600, 1), screen(600, 800, 2), screen(800, 600, 4), screen(600, 800, 8)].map(\.orientation),
            [.landscapeLeft, .portraitUpsideDown, .landscapeRight, .portrait])
        XCTAssertEqual(
            [screen(600, 800, 1), screen(800, 600, 2), screen(600, 800, 4), screen(800, 600, 8)].map(\.orientation),
            [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight])
        XCTAssertEqual(screen(800, 600, 1 | 16).orientation, .landscapeLeft)
        XCTAssertNil(screen(800, 600, 0).orientation)
    }

    func testTheCentreOfAWindowDecides() {
        var screens = X11Screens()
        XCTAssertFalse(screens.add(screen(800, 600, 1), isLast: false))
        XCTAssertTrue(screens.add(screen(600, 800, 8, x: 800), isLast: true))
        XCTAssertEqual(screens.orientation(x: 700, y: 10, width: 150, height: 100), .landscapeLeft)
        XCTAssertEqual(screens.orientation(x: 700, y: 10, width: 250, height: 100), .portrait)
        XCTAssertNil(screens.orientation(x: 5000, y: 10, width: 250, height: 100))
    }
}

final class X11ScreensMessageTests: XCTestCase {
    func testOnlyADisplayWithOtherScreensGetsAMessage() {
        XCTAssertNil(x11ScreensMessage(screen: 0, count: 1))
        let said = x11ScreensMessage(screen: 1, count: 2)
        XCTAssertEqual(said?.hasPrefix("only screen 1 of this display's 2 is watched"), true)
        XCTAssertEqual(said?.hasSuffix(":0.0"), true)
    }
}

/// Displays that cannot be watched, among them listeners where a server would be.
final class X11OpenTests: XCTestCase {
    private func problem(_ display: String?) -> String {
        do throws(SourceError) {
            _ = try X11Source(display: display)
            return "it opened"
        } catch {
            return error.description
        }
    }

    func testADisplayWithoutAServerAndAWrongNameGetAMessage() {
        XCTAssertTrue(problem(":64999").hasPrefix("no X server answers for the display ':64999'"), problem(":64999"))
        XCTAssertTrue(problem("nonsense").contains("'nonsense' is not the name of an X display"), problem("nonsense"))
    }

    /// A listener where a display's server would be, and the display's number.
    private func listen() throws -> (listener: Int32, number: Int) {
        try FileManager.default.createDirectory(atPath: "/tmp/.X11-unix", withIntermediateDirectories: true)
        let number = 50_000 + Int(getpid() % 10_000)
        let path = Self.path(number)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        XCTAssertEqual(bound, 0, String(cString: strerror(errno)))
        XCTAssertEqual(SettlePlatform.listen(listener, 8), 0)
        return (listener, number)
    }

    private static func path(_ number: Int) -> String { "/tmp/.X11-unix/X\(number)" }

    func testAServerThatDoesNotAnswerGetsALimit() throws {
        let (listener, number) = try listen()
        defer { unlink(Self.path(number)) }
        // The connection is in the listener's queue, and is never taken from there.
        defer { close(listener) }
        let begun = MonotonicClock.now
        do throws(SourceError) {
            _ = try X11Desktop(display: ":\(number)", limit: 50)
            XCTFail("it opened")
        } catch {
            XCTAssertGreaterThanOrEqual(begun.duration(to: MonotonicClock.now), .milliseconds(50))
            let said = error.description
            XCTAssertTrue(
                said.hasPrefix("the X server of display ':\(number)' has not answered for 0.05 s: it is stopped"), said)
        }
    }

    func testAServerThatRefusesGetsAnotherMessage() throws {
        let (listener, number) = try listen()
        defer { unlink(Self.path(number)) }
        let refuser = Thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var setup = [UInt8](repeating: 0, count: 4096)
                _ = read(client, &setup, setup.count)
                close(client)
            }
        }
        refuser.start()
        defer {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        let said = problem(":\(number)")
        XCTAssertTrue(said.hasPrefix("the X server of display ':\(number)' refuses the connection"), said)
        XCTAssertTrue(said.contains("$XAUTHORITY"), said)
    }
}
