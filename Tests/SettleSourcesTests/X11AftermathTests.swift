import CWindowSystems
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSources

/// X servers that say anything, in any order: a number of all that is asked, reported and said is kept in
/// Tests/Cases/sources/desktops.txt.
final class X11AftermathTests: XCTestCase {
    func testTheSameIsReportedAsBefore() throws {
        let numbers = stride(from: UInt64(0), to: 200, by: 20).map { first in
            var aftermath = Aftermath()
            for seed in first..<first + 20 {
                var desktop = RandomDesktop(seed: seed)
                for line in desktop.run() { aftermath.note(line) }
            }
            return (aftermath.number, "the twenty desktops from \(first) on")
        }
        let file = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/sources/desktops.txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail(fault) }
    }
}

/// Answers nothing, and keeps what is asked.
private final class Questions: X11Questions {
    var asked: [String] = []

    func askWindows() { asked.append("windows") }
    func askChildren(of window: UInt32) { asked.append("children \(window)") }
    func describe(_ window: UInt32) { asked.append("describe \(window)") }
    func askButtons() { asked.append("buttons") }
    func askScreens() { asked.append("screens") }
}

/// A desktop of few windows, of one seed.
private struct RandomDesktop {
    private var dice: SplitMix64
    private let questions = Questions()
    private let scenes = SceneNames()
    private var windows: X11Windows
    private var log: [String] = []
    /// Which windows the desktop has, for most of the time.
    private let list: x11_window_list
    private let time = Locked<UInt64>(0)

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
        list = [X11_LISTED, X11_MANAGED, X11_UNMANAGED][Int(seed % 3)]
        windows = X11Windows(questions, scenes: scenes) { [time] in
            time.change { $0 += 1 }
            return Timestamp(nanoseconds: time.value)
        }
    }

    mutating func run() -> [String] {
        for _ in 0..<150 { send() }
        return log
    }

    private mutating func send() {
        var event = x11_event()
        event.window = UInt32(1 + dice.below(7))
        let kinds = [
            X11_WINDOWS, X11_WINDOWS, X11_CHILDREN, X11_DESCRIBED, X11_DESCRIBED, X11_DESCRIBED, X11_DESCRIBED,
            X11_UNKNOWN_WINDOW, X11_CONFIGURED, X11_CONFIGURED, X11_CONFIGURED, X11_CONFIGURED, X11_DESTROYED,
            X11_MAPPED,
            X11_UNMAPPED, X11_REPARENTED, X11_LIST_CHANGED, X11_WINDOW_CHANGED, X11_BUTTON, X11_BUTTON, X11_BUTTONS,
            X11_BUTTONS_CHANGED, X11_SCREENS_CHANGED, X11_SCREEN, X11_SCREEN, X11_NOTHING,
        ]
        event.kind = dice.pick(kinds)
        // Screens lie beside and above each other; windows are on any, or on none.
        (event.x, event.y) = (Int32(dice.pick([-700, 0, 0, 60, 800])), Int32(dice.pick([0, 0, 70, 600])))
        if event.kind == X11_SCREEN {
            (event.width, event.height) = dice.pick([(800, 600), (600, 800), (600, 600), (0, 0), (800, 0), (0, 600)])
            event.rotation = UInt16(dice.pick([1, 2, 4, 8, 17, 0]))
            event.is_last = dice.chance(60)
        } else {
            (event.width, event.height) = (UInt32(dice.pick([1, 200, 300, 900])), UInt32(dice.pick([1, 200, 300])))
        }
        event.list = dice.chance(85) ? list : dice.pick([X11_LISTED, X11_MANAGED, X11_UNMANAGED])
        event.is_synthetic = dice.chance(40)
        event.is_mapped = dice.chance(70)
        event.is_override_redirect = dice.chance(20)
        event.has_state = dice.chance(50)
        (event.device, event.button) = (UInt16(2 + dice.below(2)), UInt32(1 + dice.below(9)))
        event.is_pressed = dice.chance(60)
        let ids = (UInt32(1)...7).filter { _ in dice.chance(50) }
        let buttons = (UInt16(2)...3).flatMap { device in
            (UInt32(1)...4).filter { _ in dice.chance(30) }.map { x11_button(device: device, button: $0) }
        }
        let title = dice.pick(["", "Mail", "Mail", "no\nname"]).utf8.map { CChar(bitPattern: $0) }
        ids.withUnsafeBufferPointer { ids in
            buttons.withUnsafeBufferPointer { buttons in
                title.withUnsafeBufferPointer { title in
                    (event.windows, event.window_count) = (ids.baseAddress, ids.count)
                    (event.buttons, event.button_count) = (buttons.baseAddress, buttons.count)
                    (event.title, event.title_length) = (title.baseAddress, title.count)
                    windows.take(event)
                }
            }
        }
        note(event.kind)
    }

    private mutating func note(_ kind: x11_event_kind) {
        let events = windows.events.map { event in
            let name = event.kind == .pointer ? "\(event.button) \(event.isPressed)" : scenes[event.name]
            let orientation = event.orientation.map { "\($0)" } ?? "-"
            return "\(event.at.nanoseconds) \(event.kind) \(name) \(event.size.map { "\($0)" } ?? "-") \(orientation)"
        }
        log.append(
            "\(kind.rawValue): \(questions.asked.joined(separator: ", ")); \(events.joined(separator: ", "));"
                + " \(windows.news.map { "\($0)" }.joined(separator: ", "))")
        (questions.asked, windows.events, windows.news) = ([], [], [])
    }
}
