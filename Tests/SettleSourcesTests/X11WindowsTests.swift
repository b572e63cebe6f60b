import CWindowSystems
import Settle
import SettleLog
import XCTest

@testable import SettleSources

/// Writes down what is asked.
private final class Asked: X11Questions {
    var questions: [String] = []

    func askWindows() { questions.append("windows") }
    func askChildren(of window: UInt32) { questions.append("children \(window)") }
    func describe(_ window: UInt32) { questions.append("describe \(window)") }
    func askButtons() { questions.append("buttons") }
    func askScreens() { questions.append("screens") }

    func take() -> [String] {
        defer { questions = [] }
        return questions
    }
}

/// The server's side of a desktop, and what the source makes of it.
private struct Desktop {
    let asked = Asked()
    let scenes = SceneNames()
    var windows: X11Windows

    init() { windows = X11Windows(asked, scenes: scenes) { Timestamp(nanoseconds: 7) } }

    mutating func send(_ kind: x11_event_kind, _ window: UInt32 = 0, _ change: (inout x11_event) -> Void = { _ in }) {
        var event = x11_event()
        event.kind = kind
        event.window = window
        change(&event)
        windows.take(event)
    }

    mutating func list(
        _ list: x11_window_list, _ ids: [UInt32], kind: x11_event_kind = X11_WINDOWS, of window: UInt32 = 0
    ) {
        ids.withUnsafeBufferPointer { ids in
            send(kind, window) {
                $0.list = list
                $0.windows = ids.baseAddress
                $0.window_count = ids.count
            }
        }
    }

    mutating func describe(
        _ window: UInt32, _ width: UInt32, title: String = "", mapped: Bool = true, menu: Bool = false,
        state: Bool = false
    ) {
        var title = title
        title.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                send(X11_DESCRIBED, window) {
                    $0.width = width
                    $0.height = 100
                    $0.title = characters.baseAddress
                    $0.title_length = characters.count
                    $0.is_mapped = mapped
                    $0.is_override_redirect = menu
                    $0.has_state = state
                }
            }
        }
    }

    mutating func configure(_ window: UInt32, _ width: UInt32, synthetic: Bool = false) {
        send(X11_CONFIGURED, window) {
            $0.width = width
            $0.height = 100
            $0.is_synthetic = synthetic
        }
    }

    /// The events since, in short: `0x1 200`, `-0x1` for a disconnect, `+1` and `-1` for buttons.
    mutating func take() -> [String] {
        defer { windows.events = [] }
        return windows.events.map { event in
            switch event.kind {
            case .geometry:
                "\(scenes[event.name]) \(Int(event.size!.width))" + (event.orientation.map { " \($0)" } ?? "")
            case .connect, .finished, .previewed: "\(event.kind) \(scenes[event.name])"
            case .disconnect: "-\(scenes[event.name])"
            case .pointer: "\(event.isPressed ? "+" : "-")\(event.button)"
            }
        }
    }
}

final class X11WindowsTests: XCTestCase {
    func testButtonsAreAskedForBeforeWindows() {
        XCTAssertEqual(Desktop().asked.take(), ["buttons", "screens", "windows"])
    }

    func testListedWindowsComeAndGo() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1, 2])
        XCTAssertEqual(Array(desktop.asked.take().suffix(2)), ["describe 1", "describe 2"])
        desktop.describe(1, 200, title: "Mail")
        desktop.describe(2, 300)
        XCTAssertEqual(desktop.take(), ["Mail 0x1 200", "0x2 300"])
        XCTAssertEqual(desktop.windows.news, [.title(SceneNumber(rawValue: 0), "Mail")])
        desktop.list(X11_LISTED, [2])
        XCTAssertEqual(desktop.take(), ["-Mail 0x1"])
        desktop.send(X11_DESTROYED, 2)
        desktop.send(X11_DESTROYED, 2)
        XCTAssertEqual(desktop.take(), ["-0x2"])
    }

    func testAnIdentifierThatComesBackIsANewConnection() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.describe(1, 200)
        desktop.send(X11_DESTROYED, 1)
        desktop.list(X11_LISTED, [1])
        desktop.describe(1, 250)
        XCTAssertEqual(desktop.take(), ["0x1 200", "-0x1", "0x1 250"])
    }

    func testNamesOfClosedWindowsDoNotGrowWithoutEnd() {
        var desktop = Desktop()
        for id in 0..<UInt32(X11Windows.scenesMax) {
            desktop.list(X11_LISTED, [id])
            desktop.describe(id, 200)
            desktop.windows.events = []
        }
        XCTAssertEqual(desktop.scenes.count, X11Windows.scenesMax)
        XCTAssertEqual(desktop.windows.news, [])
        for id: UInt32 in [1 << 20, 1 << 21] {
            desktop.list(X11_LISTED, [id])
            desktop.describe(id, 200)
            desktop.configure(id, 300)
            desktop.send(X11_DESTROYED, id)
        }
        // The last window that was followed ends as any other.
        XCTAssertEqual(desktop.take(), ["-0xffff"])
        XCTAssertEqual(desktop.scenes.count, X11Windows.scenesMax)
        XCTAssertEqual(desktop.windows.news.count, 1)
    }

    func testAWindowThatIsGoneBeforeItIsDescribedIsNone() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.send(X11_UNKNOWN_WINDOW, 1)
        desktop.configure(1, 300)
        XCTAssertEqual(desktop.take(), [])
    }

    func testASyntheticEventOfTheKnownSizeIsNone() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.describe(1, 200)
        desktop.configure(1, 201)
        desktop.configure(1, 201, synthetic: true)
        desktop.configure(1, 202, synthetic: true)
        XCTAssertEqual(desktop.take(), ["0x1 200", "0x1 201", "0x1 202"])
    }

    func testASizeBeforeTheDescriptionIsOlderThanIt() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.configure(1, 150)
        desktop.describe(1, 200)
        XCTAssertEqual(desktop.take(), ["0x1 200"])
    }

    func testTheListIsAskedForOnceWhileItsAnswerIsAwaitedAndAnewIfItIsStale() {
        var desktop = Desktop()
        _ = desktop.asked.take()
        desktop.send(X11_LIST_CHANGED)
        desktop.send(X11_LIST_CHANGED)
        XCTAssertEqual(desktop.asked.take(), [])
        desktop.list(X11_LISTED, [])
        XCTAssertEqual(desktop.asked.take(), ["windows"])
        desktop.list(X11_LISTED, [])
        XCTAssertEqual(desktop.asked.take(), [])
    }

    func testWithoutAWindowManagerTheMappedChildrenOfTheRootAreWindows() {
        var desktop = Desktop()
        desktop.list(X11_UNMANAGED, [1, 2, 3])
        desktop.describe(1, 200)
        desktop.describe(2, 300, menu: true)
        desktop.describe(3, 400, mapped: false)
        XCTAssertEqual(desktop.take(), ["0x1 200"])
        desktop.send(X11_MAPPED, 3)
        desktop.send(X11_UNMAPPED, 1)
        XCTAssertEqual(desktop.take(), ["0x3 400", "-0x1"])
    }

    func testAWindowThatIsMappedWhileItIsDescribedIsDescribedAgain() {
        var desktop = Desktop()
        desktop.list(X11_UNMANAGED, [1])
        desktop.send(X11_MAPPED, 1)
        _ = desktop.asked.take()
        desktop.describe(1, 200, mapped: false)
        XCTAssertTrue(desktop.asked.take().contains("describe 1"))
        desktop.describe(1, 200)
        XCTAssertEqual(desktop.take(), ["0x1 200"])
    }

    func testWithoutAListTheWindowsWithAStateAreFoundInTheirFrames() {
        var desktop = Desktop()
        desktop.list(X11_MANAGED, [10])
        _ = desktop.asked.take()
        desktop.describe(10, 210)
        XCTAssertEqual(desktop.asked.take(), ["children 10"])
        desktop.list(X11_MANAGED, [11], kind: X11_CHILDREN, of: 10)
        XCTAssertEqual(desktop.asked.take(), ["describe 11"])
        desktop.describe(11, 200)
        XCTAssertEqual(desktop.take(), [])
        desktop.send(X11_WINDOW_CHANGED, 11)
        desktop.describe(11, 200, state: true)
        XCTAssertEqual(desktop.take(), ["0xb 200"])
        // Withdrawn.
        desktop.send(X11_WINDOW_CHANGED, 11)
        desktop.describe(11, 200)
        XCTAssertEqual(desktop.take(), ["-0xb"])
    }

    func testAWindowManagerThatEndsLeavesTheWindows() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.describe(1, 200)
        desktop.list(X11_UNMANAGED, [1])
        desktop.list(X11_LISTED, [1])
        XCTAssertEqual(desktop.take(), ["0x1 200"])
    }

    func testTheEndOfTheListsOwnerIsAReasonToAskAnew() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1], of: 90)
        desktop.describe(1, 200)
        _ = desktop.asked.take()
        desktop.send(X11_DESTROYED, 91)
        XCTAssertEqual(desktop.asked.take(), [])
        desktop.send(X11_DESTROYED, 90)
        XCTAssertEqual(desktop.asked.take(), ["windows"])
        desktop.list(X11_UNMANAGED, [1])
        desktop.send(X11_DESTROYED, 90)
        XCTAssertEqual(desktop.asked.take(), [])
        XCTAssertEqual(desktop.take(), ["0x1 200"])
    }

    func testAnOwnerThatEndsBeforeTheListIsKnownMakesTheListStale() {
        var desktop = Desktop()
        desktop.send(X11_DESTROYED, 90)
        _ = desktop.asked.take()
        desktop.list(X11_LISTED, [], of: 90)
        XCTAssertEqual(desktop.asked.take(), ["windows"])
    }

    func testAWindowManagerWithoutAListThatFollowsOneWithAListKeepsTheWindows() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1], of: 90)
        desktop.describe(1, 200, state: true)
        desktop.send(X11_DESTROYED, 90)
        // It was put into the frame 10 already, and marked.
        desktop.list(X11_MANAGED, [10])
        _ = desktop.asked.take()
        desktop.describe(10, 210)
        desktop.list(X11_MANAGED, [1, 2], kind: X11_CHILDREN, of: 10)
        XCTAssertEqual(desktop.asked.take(), ["children 10", "describe 2"])
        desktop.describe(2, 300, state: true)
        desktop.configure(1, 201)
        XCTAssertEqual(desktop.take(), ["0x1 200", "0x2 300", "0x1 201"])
    }

    func testANewTitleIsNewsAndNoNewName() {
        var desktop = Desktop()
        desktop.list(X11_LISTED, [1])
        desktop.describe(1, 200, title: "one")
        desktop.send(X11_WINDOW_CHANGED, 1)
        desktop.send(X11_WINDOW_CHANGED, 1)
        desktop.describe(1, 200, title: "two")
        let scene = SceneNumber(rawValue: 0)
        XCTAssertEqual(desktop.windows.news, [.title(scene, "one"), .title(scene, "two")])
        XCTAssertEqual(desktop.take(), ["one 0x1 200"])
    }

    func testATurnOfTheOnlyScreenIsAnEventOfEachWindow() {
        var desktop = Desktop()
        func turn(_ width: UInt32, _ height: UInt32, _ rotation: UInt16) {
            desktop.send(X11_SCREEN) {
                ($0.width, $0.height, $0.rotation, $0.is_last) = (width, height, rotation, true)
            }
        }
        turn(800, 600, 1)
        desktop.list(X11_LISTED, [1, 2])
        desktop.describe(1, 200)
        desktop.describe(2, 300)
        _ = desktop.take()
        turn(600, 800, 8)
        XCTAssertEqual(desktop.take(), ["0x1 200 portrait", "0x2 300 portrait"])
        turn(600, 800, 8)
        XCTAssertEqual(desktop.take(), [])
    }
}
