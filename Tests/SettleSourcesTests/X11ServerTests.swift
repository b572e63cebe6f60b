import CWindowSystems
import SettlePlatform
import XCTest

@testable import SettleSources

/// The C below `X11Windows`, with a server that the test plays: all that it says, with every field, in its order.
final class X11ServerTests: XCTestCase {
    private typealias Server = PlayedServer
    private var server: PlayedServer!

    override func setUpWithError() throws { server = try PlayedServer() }
    override func tearDown() { server.close() }

    private func open() throws -> X11Desktop {
        do throws(SourceError) {
            return try X11Desktop(display: server.display)
        } catch {
            let isAbsent =
                error.description.contains("built without X11") || error.description.contains("cannot be loaded")
            try XCTSkipIf(isAbsent, error.description)
            throw error
        }
    }

    /// Everything up to an event of a kind, as text.
    private func said(_ desktop: X11Desktop, until last: x11_event_kind, _ count: Int = 1) -> [String] {
        var (said, rest) = ([String](), count)
        while rest > 0 {
            let event = desktop.next()
            guard event.kind == X11_NOTHING else {
                said.append(text(event))
                if event.kind == last { rest -= 1 }
                if event.kind == X11_CLOSED { break }
                continue
            }
            if !waitUntilReadable(desktop.descriptor, nanoseconds: 20_000_000_000) { return said + ["nothing more"] }
        }
        return said
    }

    /// All fields that are not 0.
    private func text(_ event: x11_event) -> String {
        let kinds = [
            "nothing", "closed", "no memory", "windows", "children", "described", "unknown", "configured", "destroyed",
            "mapped", "unmapped", "reparented", "list changed", "window changed", "button", "buttons",
            "buttons changed", "screens changed", "screen",
        ]
        var words = [kinds[Int(event.kind.rawValue)]]
        if event.window > 0 { words.append("\(event.window)") }
        if event.kind == X11_WINDOWS { words.append(["listed", "managed", "unmanaged"][Int(event.list.rawValue)]) }
        if event.window_count > 0 {
            words.append("\(Array(UnsafeBufferPointer(start: event.windows, count: event.window_count)))")
        }
        if event.width > 0 || event.height > 0 { words.append("\(event.width)x\(event.height)") }
        if event.x != 0 || event.y != 0 { words.append("at \(event.x),\(event.y)") }
        if event.title_length > 0 {
            let bytes = UnsafeRawBufferPointer(start: event.title, count: event.title_length)
            words.append("'\(String(decoding: bytes, as: UTF8.self))'")
        }
        for button in UnsafeBufferPointer(start: event.buttons, count: event.button_count) {
            words.append("\(button.device):\(button.button)")
        }
        if event.button > 0 { words.append("\(event.device):\(event.button)") }
        if event.rotation > 0 { words.append("turned \(event.rotation)") }
        let flags = [
            (event.is_pressed, "pressed"), (event.is_synthetic, "synthetic"), (event.is_mapped, "mapped"),
            (event.is_override_redirect, "menu"), (event.has_state, "state"), (event.is_last, "last"),
        ]
        return (words + flags.filter(\.0).map(\.1)).joined(separator: " ")
    }

    /// One connection for all: what a window manager leaves behind says nothing of the next one.
    func testWhichWindowsThereAre() throws {
        let desktop = try open()
        let (list, check) = ("_NET_CLIENT_LIST", "_NET_SUPPORTING_WM_CHECK")
        func lives(_ state: inout Server.State) {
            state.isManaged = true
            state.windows[1]?.children = [10, 11]
            state.windows[1]?.properties = [list: .windows(5, 6, 7), check: .windows(90)]
            state.windows[90] = Server.Window(properties: [check: .windows(90)])
        }
        let steps: [(said: String, change: (inout Server.State) -> Void)] = [
            ("windows unmanaged", { _ in }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows 90 listed", { $0.windows[1]?.properties[list] = .windows() }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows 90 unmanaged [10, 11]", { ($0.windows[90], $0.isManaged) = (nil, false) }),
            ("windows 90 unmanaged", { $0.windows[1]?.children = nil }),
            ("windows 90 listed [5, 6, 7]", lives),
            // The tree of the root is refused, and the list is somebody else's.
            ("windows 90 unmanaged", { ($0.isManaged, $0.windows[1]!.children) = (false, nil) }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows managed [10, 11]", { $0.windows[1]?.properties[check] = nil }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows 90 managed [10, 11]", { $0.windows[90]?.properties[check] = .windows(91) }),
            ("windows 91 managed [10, 11]", { $0.windows[1]?.properties[check] = .windows(91) }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows 90 managed [10, 11]", { $0.windows[1]?.properties[list] = .windows(5, type: 6) }),
            ("windows 90 listed [5, 6, 7]", lives),
            ("windows 90 managed [10, 11]", { $0.windows[1]?.properties[list] = nil }),
            ("windows 90 managed", { $0.windows[1]?.children = [] }),
        ]
        for (number, step) in steps.enumerated() {
            server.change(step.change)
            desktop.askWindows()
            XCTAssertEqual(said(desktop, until: X11_WINDOWS), [step.said], "step \(number)")
        }
        XCTAssertTrue(server.asked().contains("Listen 90"))
        desktop.askChildren(of: 10)
        server.change { $0.windows[11] = Server.Window(children: [12, 13]) }
        desktop.askChildren(of: 11)
        XCTAssertEqual(said(desktop, until: X11_CHILDREN, 2), ["children 10", "children 11 [12, 13]"])
    }

    /// One after the other, so that nothing of a window is in the next one.
    func testWhatWindowsAreLike() throws {
        let desktop = try open()
        let (utf8, old, kind) = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
        func state(_ number: UInt32) -> Server.Property { .windows(number, 0, type: 777) }
        let compound: UInt32 = 888
        let windows: [(said: String, window: Server.Window?)] = [
            (
                "300x200 at 7,9 'näme' mapped",
                .init(
                    x: 7, y: 9, width: 300, height: 200,
                    properties: [utf8: .text("näme", type: 500), old: .text("old"), kind: .text("a\0B\0")])
            ),
            ("100x100 mapped", .init()),
            (
                "100x100 'Ä' mapped menu",
                .init(isMenu: true, properties: [old: .init(type: 31, bytes: [0xC4]), kind: .text("a\0B\0")])
            ),
            ("unknown", nil),
            ("100x100 'Class' mapped", .init(map: 1, properties: [kind: .text("instance\0Class\0")])),
            ("100x100", .init(map: 0)),
            ("100x100 'Class' mapped", .init(properties: [kind: .text("instance\0Class")])),
            ("100x100 mapped", .init(properties: [kind: .text("instance\0")])),
            ("100x100 mapped", .init(properties: [kind: .text("instance")])),
            ("100x100 'ü' mapped", .init(properties: [old: .text("ü", type: 500)])),
            (
                "100x100 'Class' mapped",
                .init(properties: [old: .text("x\u{1B}$(B01", type: compound), kind: .text("a\0Class\0")])
            ),
            ("100x100 'ü' mapped", .init(properties: [old: .text("\u{1B}%Gü\u{1B}%@", type: compound)])),
            ("100x100 'old' mapped", .init(properties: [utf8: .text("", type: 500), old: .text("old")])),
            // Of another type or format than it must have.
            ("100x100 'old' mapped", .init(properties: [utf8: .text("latin"), old: .text("old")])),
            ("100x100 mapped", .init(properties: [old: .windows(65)])),
            ("100x100 mapped state", .init(properties: ["WM_STATE": state(1)])),
            ("100x100 mapped state", .init(properties: ["WM_STATE": state(3)])),
            ("100x100 mapped", .init(properties: ["WM_STATE": state(0)])),
            (
                "100x100 '\(String(repeating: "n", count: 1024))' mapped",
                .init(properties: [utf8: .text(String(repeating: "n", count: 2000), type: 500)])
            ),
            (
                "100x100 '\(String(repeating: "ä", count: 512))' mapped",
                .init(properties: [old: .init(type: 31, bytes: [UInt8](repeating: 0xE4, count: 2000))])
            ),
            ("100x100 mapped", .init()),
        ]
        for (number, window) in windows.enumerated() {
            let id = UInt32(100 + number)
            server.change { $0.windows[id] = window.window }
            desktop.describe(id)
            let kind = window.window == nil ? X11_UNKNOWN_WINDOW : X11_DESCRIBED
            let wanted = window.window == nil ? "unknown \(id)" : "described \(id) \(window.said)"
            XCTAssertEqual(said(desktop, until: kind), [wanted])
        }
        // Its changes are listened for before anything of it is asked, and its size is asked for last.
        _ = server.asked()
        desktop.describe(101)
        _ = said(desktop, until: X11_DESCRIBED)
        let asked = server.asked()
        XCTAssertEqual([asked.first, asked.last], ["Listen 101", "GetGeometry 101"])
        XCTAssertEqual(asked.count, 8)
    }

    /// More questions at the same time than there is room for at first.
    func testManyQuestionsAreAnsweredInTheirOrder() throws {
        let desktop = try open()
        for id in UInt32(2)...90 { server.change { $0.windows[id] = Server.Window(width: UInt16(id)) } }
        for round in 0..<3 {
            desktop.askChildren(of: 2)
            XCTAssertEqual(said(desktop, until: X11_CHILDREN), ["children 2"])
            let ids = (UInt32(2)...UInt32(20 + 30 * round))
            for id in ids { desktop.describe(id) }
            desktop.askChildren(of: 3)
            XCTAssertEqual(
                said(desktop, until: X11_CHILDREN), ids.map { "described \($0) \($0)x100 mapped" } + ["children 3"])
        }
    }

    func testAnEventIsAtItsPlaceAmongTheAnswers() throws {
        let desktop = try open()
        server.change {
            $0.windows[7] = Server.Window()
            $0.before = [
                "GetWindowAttributes 7": [Server.configure(7, 101, 100)],
                "GetGeometry 7": [Server.configure(7, 102, 100)],
            ]
            $0.after = [
                "GetWindowAttributes 7": [Server.configure(7, 103, 100)],
                "GetGeometry 7": [Server.configure(7, 104, 100)],
            ]
        }
        desktop.describe(7)
        desktop.askChildren(of: 7)
        XCTAssertEqual(
            said(desktop, until: X11_CHILDREN),
            [
                "configured 7 101x100", "configured 7 103x100", "configured 7 102x100", "described 7 100x100 mapped",
                "configured 7 104x100", "children 7",
            ])
    }

    func testTheButtonsOfAllMasterPointers() throws {
        let desktop = try open()
        XCTAssertFalse(desktop.isXWayland)
        let many = Set(1...40)
        let steps: [(said: String, devices: [Server.Device])] = [
            ("buttons", []),
            ("buttons 2:1", [.init(id: 2, buttons: 5, held: [1])]),
            (
                "buttons 2:3 2:8",
                [.init(id: 4, type: 3, buttons: 5, held: [1]), .init(id: 2, buttons: 8, held: [3, 8])]
            ),
            ("buttons 2:7 9:1", [.init(id: 2, buttons: 32, held: [7]), .init(id: 9, buttons: 3, held: [1])]),
            (
                "buttons " + many.sorted().map { "2:\($0)" }.joined(separator: " ") + " 9:2",
                [.init(id: 2, buttons: 60, held: many), .init(id: 9, buttons: 3, held: [2])]
            ), ("buttons 9:3", [.init(id: 2, buttons: 0, held: []), .init(id: 9, buttons: 3, held: [3])]),
        ]
        for step in steps {
            server.change { $0.devices = step.devices }
            desktop.askButtons()
            XCTAssertEqual(said(desktop, until: X11_BUTTONS), [step.said])
        }
    }

    func testTheScreensAndWhichIsTheLast() throws {
        let desktop = try open()
        server.change {
            $0.screens = [
                .init(), .init(x: 640, y: 0, width: 480, height: 640, rotation: 8), .init(mode: 0),
                .init(x: 9, y: 8, rotation: 17),
            ]
        }
        desktop.askScreens()
        let all = [
            "screen 640x480 turned 1", "screen 480x640 at 640,0 turned 8", "screen",
            "screen 640x480 at 9,8 turned 17 last",
        ]
        XCTAssertEqual(said(desktop, until: X11_SCREEN, 4), all)
        server.change { $0.screens.removeLast() }
        desktop.askScreens()
        XCTAssertEqual(said(desktop, until: X11_SCREEN, 3), [all[0], all[1], "screen last"])
    }

    func testEachKindOfEvent() throws {
        let desktop = try open()
        func property(_ name: String, _ window: UInt32) -> [UInt8] { Server.event(28, 0, window, server.atom(name)) }
        let rows: [(said: [String], event: [UInt8])] = [
            (["configured 7 300x200 at 5,6"], Server.configure(7, x: 5, y: 6, 300, 200)),
            (["configured 7 300x200 at 5,6 synthetic"], Server.configure(7, x: 5, y: 6, 300, 200, isSent: true)),
            // The root says it of its children, too.
            ([], Server.configure(7, of: 1, 300, 200)),
            (["destroyed 7"], Server.event(17, 0, 1, 7)), (["unmapped 7"], Server.event(18, 0, 1, 7)),
            (["mapped 7"], Server.event(19, 0, 1, 7)), (["mapped 7 menu"], Server.event(19, 0, 1, 7, 1)),
            (["reparented 7"], Server.event(21, 0, 1, 7, 8)),
            // What only a client says is not believed.
            ([], Server.event(17, 0, isSent: true, 1, 7)), ([], Server.event(18, 0, isSent: true, 1, 7)),
            ([], Server.event(33, 0, isSent: true, 7)),
            (["list changed"], property("_NET_CLIENT_LIST", 1)),
            (["list changed"], property("_NET_SUPPORTING_WM_CHECK", 1)),
            (["list changed"], property("_NET_SUPPORTING_WM_CHECK", 90)), ([], property("_NET_WM_NAME", 1)),
            ([], property("_NET_CLIENT_LIST", 7)), (["window changed 7"], property("_NET_WM_NAME", 7)),
            (["window changed 7"], property("WM_NAME", 7)), (["window changed 7"], property("WM_CLASS", 7)),
            (["window changed 7"], property("WM_STATE", 7)), ([], property("UTF8_STRING", 7)),
            (["button 2:1 pressed"], Server.input(15, device: 2, button: 1)),
            (["button 9:8"], Server.input(16, device: 9, button: 8)), (["buttons changed"], Server.input(11)),
            ([], Server.input(14, button: 1)), ([], Server.input(15, button: 1, opcode: 132)),
            (["screens changed"], Server.event(89)), (["screens changed"], Server.event(90)), ([], Server.event(91)),
            ([], Server.event(12)),
        ]
        for row in rows {
            server.send(row.event)
            desktop.askChildren(of: 1)
            XCTAssertEqual(said(desktop, until: X11_CHILDREN), row.said + ["children 1"], "\(row.event)")
        }
    }

    /// What a server has decides what is asked of it, and what is said of it.
    func testWhatTheServerHasIsFoundWhenItIsOpened() throws {
        _ = try open()
        func has(_ change: (inout Server.State) -> Void) -> String {
            server.change {
                $0 = Server.State()
                change(&$0)
            }
            do throws(SourceError) {
                let desktop = try X11Desktop(display: server.display)
                _ = server.asked()
                desktop.askScreens()
                desktop.askButtons()
                desktop.askChildren(of: 1)
                _ = said(desktop, until: X11_CHILDREN)
                let asked = server.asked().map { String($0.prefix { $0 != " " }) }
                return (desktop.isXWayland ? "XWayland " : "") + asked.joined(separator: " ")
            } catch {
                return error.description
            }
        }
        let (screens, buttons, tree) = ("RRGetScreenResources", "XIQueryDevice", "QueryTree")
        let all = "\(screens) \(buttons) \(tree)"
        XCTAssertEqual(has { _ in }, all)
        XCTAssertEqual(has { $0.isXWayland = true }, "XWayland \(screens) \(tree)")
        XCTAssertEqual(has { $0.outputs = ["XWAYLAND0", "XWAYLAND1"] }, "XWayland \(screens) \(tree)")
        XCTAssertEqual(has { $0.outputs = ["XWAYLAND0", "DP-1"] }, all)
        XCTAssertEqual(has { $0.outputs = ["XWAY"] }, all)
        XCTAssertEqual(has { $0.randr = nil }, "\(buttons) \(tree)")
        XCTAssertEqual(has { $0.randr = (1, 2) }, "\(buttons) \(tree)")
        XCTAssertEqual(has { ($0.randr, $0.isXWayland) = (nil, true) }, "XWayland \(tree)")
        XCTAssertEqual(has { $0.input = (2, 1) }, all)
        XCTAssertEqual(has { $0.input = (3, 0) }, all)
        for old in [nil, (2, 0), (1, 5)] as [(Int, Int)?] {
            XCTAssertTrue(
                has { $0.input = old }.hasPrefix("the X server has no XInput 2.1"), "\(String(describing: old))")
        }
        for end in ["XIQueryVersion", "InternAtom WM_STATE"] {
            XCTAssertEqual(has { $0.end = end }, "the X server closed the connection while it was opened; try again")
        }
        server.change { $0 = Server.State() }
        XCTAssertThrowsError(try X11Desktop(display: server.display + ".3")) {
            XCTAssertEqual(
                "\($0)", "the X display '\(server.display).3' has no screen 3; leave it out to get the first")
        }
    }

    /// The end of a connection is one event after those before it, and no answer is made up.
    func testTheEndOfTheConnection() throws {
        let desktop = try open()
        server.change {
            $0.windows[7] = Server.Window()
            $0.before = ["QueryTree 7": [Server.configure(7, 150, 100)]]
            $0.end = "QueryTree 7"
        }
        desktop.describe(7)
        desktop.askChildren(of: 7)
        XCTAssertEqual(
            said(desktop, until: X11_CLOSED).filter { !$0.hasPrefix("children") },
            ["described 7 100x100 mapped", "configured 7 150x100", "closed"])
        XCTAssertEqual(text(desktop.next()), "closed")
    }
}
