import Foundation
import SettlePlatform

/// An X server that the test plays, for one client after another: it answers by `state`, and sends the events that the
/// test says.
final class PlayedServer: @unchecked Sendable {
    struct Property {
        var type: UInt32
        var format: UInt8 = 8
        var bytes: [UInt8]

        /// Of the type WINDOW.
        static func windows(_ ids: UInt32..., type: UInt32 = 33) -> Property {
            Property(type: type, format: 32, bytes: ids.flatMap { number($0) })
        }
        /// Of the type STRING, UTF-8 or another one.
        static func text(_ text: String, type: UInt32 = 31) -> Property {
            Property(type: type, bytes: Array(text.utf8))
        }
    }
    struct Window {
        var x: UInt16 = 0
        var y: UInt16 = 0
        var width: UInt16 = 100
        var height: UInt16 = 100
        /// 0 to 2: unmapped, within one that is, and visible.
        var map: UInt8 = 2
        var isMenu = false
        var children: [UInt32]? = []
        var properties: [String: Property] = [:]
    }
    struct Screen {
        var x: UInt16 = 0
        var y: UInt16 = 0
        var width: UInt16 = 640
        var height: UInt16 = 480
        var rotation: UInt16 = 1
        var mode: UInt32 = 1
    }
    struct Device {
        var id: UInt16
        /// 1 for a master pointer, 3 for its slaves.
        var type: UInt16 = 1
        var buttons: UInt16
        var held: Set<Int>
    }
    struct State {
        /// The root is 1. What is not here is an error.
        var windows: [UInt32: Window] = [1: Window()]
        var isManaged = false
        var devices: [Device] = []
        var screens: [Screen] = []
        var outputs: [String] = []
        /// Nil where the extension is absent.
        var input: (Int, Int)? = (2, 2)
        var randr: (Int, Int)? = (1, 5)
        var isXWayland = false
        /// Events before and after the answer to a request, such as "GetGeometry 7".
        var before: [String: [[UInt8]]] = [:]
        var after: [String: [[UInt8]]] = [:]
        /// The request at which the connection ends.
        var end = ""
    }

    let display: String
    private let listener: UnixDomainSocket
    private let path: String
    private let mutex = PthreadMutex()
    private var stored = State()
    private var client: Int32 = -1
    private var sequence = 0
    private var atoms = ["WM_NAME": UInt32(39), "WM_CLASS": 67, "UTF8_STRING": 500]
    /// What was asked, with the window where it is about one.
    private var requests: [String] = []

    init() throws {
        try FileManager.default.createDirectory(atPath: "/tmp/.X11-unix", withIntermediateDirectories: true)
        listener = try UnixDomainSocket()
        let number = try Self.bind(listener)
        path = "/tmp/.X11-unix/X\(number)"
        display = ":\(number)"
        try listener.listen(waitingMax: 8)
        Thread.detachNewThread { [self] in
            while let next = try? listener.accept() {
                serve(next.descriptor)
                next.close()
            }
        }
    }

    /// Binds to the first number that is free: other processes of tests have theirs.
    private static func bind(_ listener: UnixDomainSocket) throws -> Int {
        let first = 20_000 + Int(getpid()) % 20_000
        for number in first..<first + 5000 where (try? listener.bind(to: "/tmp/.X11-unix/X\(number)")) != nil {
            return number
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }

    func close() {
        unlink(path)
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    func change(_ body: (inout State) -> Void) { mutex.withLock { body(&stored) } }

    /// What was asked since.
    func asked() -> [String] {
        mutex.withLock {
            defer { requests = [] }
            return requests
        }
    }

    /// The number of a name; the server gives each the next one.
    func atom(_ name: String) -> UInt32 { mutex.withLock { known(name) } }
    private func known(_ name: String) -> UInt32 {
        if atoms[name] == nil { atoms[name] = UInt32(1000 + atoms.count) }
        return atoms[name]!
    }

    /// Sends events now, after the answers to all that was asked before.
    func send(_ events: [UInt8]...) { mutex.withLock { for event in events { write(event) } } }

    // MARK: Bytes

    static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    static func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// An event of 32 bytes: its kind, its second byte, and what follows its sequence number.
    static func event(_ kind: UInt8, _ detail: UInt8 = 0, isSent: Bool = false, _ words: UInt32...) -> [UInt8] {
        let bytes: [UInt8] = [kind | (isSent ? 0x80 : 0), detail, 0, 0] + words.flatMap { number($0) }
        return bytes + [UInt8](repeating: 0, count: 32 - bytes.count)
    }
    static func configure(
        _ window: UInt32, of parent: UInt32? = nil, x: UInt32 = 0, y: UInt32 = 0, _ width: UInt32, _ height: UInt32,
        isSent: Bool = false
    ) -> [UInt8] {
        event(22, 0, isSent: isSent, parent ?? window, window, 0, x | y << 16, width | height << 16)
    }
    /// Of XInput, whose opcode is 131: a raw press is 15, a release 16, a change of devices 11.
    static func input(_ kind: UInt32, device: UInt32 = 2, button: UInt32 = 0, opcode: UInt8 = 131) -> [UInt8] {
        event(35, opcode, 0, kind | device << 16, 0, button)
    }

    private func write(_ bytes: [UInt8]) {
        var bytes = bytes
        (bytes[2], bytes[3]) = (UInt8(sequence & 0xFF), UInt8(sequence >> 8 & 0xFF))
        bytes.withUnsafeBytes { _ = SettlePlatform.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func answer(_ data: UInt8, _ body: [UInt8]) {
        let rest = body + [UInt8](repeating: 0, count: max(0, 24 - body.count))
        let padded = Self.padded(rest)
        write([1, data, 0, 0] + Self.number(UInt32(padded.count - 24) / 4) + padded)
    }

    private func fail(_ code: UInt8) { write([0, code] + [UInt8](repeating: 0, count: 30)) }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes { SettlePlatform.read(client, $0.baseAddress! + got, count - got) }
            if more <= 0 { return nil }
            got += more
        }
        return bytes
    }

    // MARK: Requests

    private func serve(_ descriptor: Int32) {
        mutex.withLock { (client, sequence) = (descriptor, 0) }
        guard let head = read(12) else { return }
        let lengths = (Int(head[6]) + Int(head[7]) << 8, Int(head[8]) + Int(head[9]) << 8)
        guard read((lengths.0 + 3) / 4 * 4 + (lengths.1 + 3) / 4 * 4) != nil else { return }
        let setup: [UInt8] =
            Self.number(1) + Self.number(0x20_0000) + Self.number(0x1F_FFFF) + Self.number(0) + Self.half(0)
            + Self.half(0xFFFF) + [1, 0, 0, 0, 32, 32, 8, 255] + Self.number(0)
            + Self.number(1) + Self.number(0) + Self.number(0xFFFFFF) + Self.number(0) + Self.number(0)
            + Self.half(640) + Self.half(480) + Self.half(160) + Self.half(120) + Self.half(1) + Self.half(1)
            + Self.number(0) + [0, 0, 24, 0]
        let all = [1, 0] + Self.half(11) + Self.half(0) + Self.half(UInt16(setup.count / 4)) + setup
        all.withUnsafeBytes { _ = SettlePlatform.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        while let head = read(4), let rest = read((Int(head[2]) + Int(head[3]) << 8) * 4 - 4) {
            let isGoingOn = mutex.withLock {
                let (name, act) = request(head, rest)
                let events = (
                    stored.before.removeValue(forKey: name) ?? [], stored.after.removeValue(forKey: name) ?? []
                )
                for event in events.0 { write(event) }
                sequence += 1
                requests.append(name)
                if name == stored.end { return false }
                act()
                for event in events.1 { write(event) }
                return true
            }
            if !isGoingOn { return }
        }
    }

    /// A request's name, with its window, and what answers it.
    private func request(_ head: [UInt8], _ rest: [UInt8]) -> (String, () -> Void) {
        let words = stride(from: 0, to: rest.count - 3, by: 4).map { place in
            UInt32(rest[place]) | UInt32(rest[place + 1]) << 8 | UInt32(rest[place + 2]) << 16 | UInt32(rest[place + 3])
                << 24
        }
        switch (head[0], head[1]) {
        case (2, _): return ("Listen \(words[0])", {})
        case (3, _): return ("GetWindowAttributes \(words[0])", { self.answerAttributes(words[0]) })
        case (14, _), (40, _):
            let (id, isPlace) = (words[0], head[0] == 40)
            return (isPlace ? "TranslateCoordinates \(id)" : "GetGeometry \(id)", { self.answerPlace(id, isPlace) })
        case (15, _): return ("QueryTree \(words[0])", { self.answerTree(words[0]) })
        case (16, _):
            let text = String(decoding: rest[4..<(4 + Int(rest[0]))], as: UTF8.self)
            return ("InternAtom \(text)", { self.answer(0, Self.number(self.known(text))) })
        case (20, _):
            let name = atoms.first { $0.value == words[1] }?.key ?? "?"
            return (
                "GetProperty \(name) \(words[0])", { self.answerProperty(name, words[0], words[2], Int(words[4]) * 4) }
            )
        case (98, _):
            let text = String(decoding: rest[4..<(4 + Int(rest[0]))], as: UTF8.self)
            return ("QueryExtension \(text)", { self.answerExtension(text) })
        case (131, 46): return ("XISelectEvents", {})
        case (131, 47):
            let version = stored.input ?? (0, 0)
            return ("XIQueryVersion", { self.answer(0, Self.half(UInt16(version.0)) + Self.half(UInt16(version.1))) })
        case (131, _): return ("XIQueryDevice", { self.answerDevices() })
        case (140, 0):
            let version = stored.randr ?? (0, 0)
            return (
                "RRQueryVersion", { self.answer(0, Self.number(UInt32(version.0)) + Self.number(UInt32(version.1))) }
            )
        case (140, 9): return ("RRGetOutputInfo \(words[0])", { self.answerOutput(Int(words[0]) - 200) })
        case (140, 20): return ("RRGetCrtcInfo \(words[0])", { self.answerScreen(Int(words[0]) - 100) })
        case (140, 25): return ("RRGetScreenResources", { self.answerResources() })
        case (140, _): return ("RRSelectInput", {})
        default: return ("GetInputFocus", { self.answer(0, Self.number(1)) })
        }
    }

    private func answerAttributes(_ id: UInt32) {
        guard let window = stored.windows[id] else { return fail(3) }
        let masks: UInt32 = id == 1 && stored.isManaged ? 1 << 20 : 0
        answer(
            0,
            Self.number(0) + Self.half(1) + [0, 0] + Self.number(0) + Self.number(0)
                + [0, 1, window.map, window.isMenu ? 1 : 0] + Self.number(0) + Self.number(masks) + Self.number(0)
                + Self.number(0))
    }

    /// Its size within its parent, whose corner is at 0, 0; or where it is on the root.
    private func answerPlace(_ id: UInt32, _ isPlace: Bool) {
        guard let window = stored.windows[id] else { return fail(isPlace ? 3 : 9) }
        let place = Self.half(window.x) + Self.half(window.y)
        if isPlace { return answer(1, Self.number(0) + place) }
        answer(24, Self.number(1) + Self.half(0) + Self.half(0) + Self.half(window.width) + Self.half(window.height))
    }

    private func answerTree(_ id: UInt32) {
        guard let children = stored.windows[id]?.children else { return fail(3) }
        answer(
            0,
            Self.number(1) + Self.number(0) + Self.half(UInt16(children.count)) + [UInt8](repeating: 0, count: 14)
                + children.flatMap { Self.number($0) })
    }

    private func answerProperty(_ name: String, _ id: UInt32, _ type: UInt32, _ most: Int) {
        guard let window = stored.windows[id] else { return fail(3) }
        guard let property = window.properties[name] else { return answer(0, []) }
        // Of another type than asked for, only what it is.
        let bytes = type == 0 || type == property.type ? Array(property.bytes.prefix(most)) : []
        answer(
            property.format,
            Self.number(property.type) + Self.number(UInt32(property.bytes.count - bytes.count))
                + Self.number(UInt32(bytes.count / (Int(property.format) / 8))) + [UInt8](repeating: 0, count: 12)
                + bytes)
    }

    private func answerExtension(_ name: String) {
        let known: [String: (UInt8, UInt8)] = [
            "XInputExtension": (stored.input == nil ? 0 : 131, 66), "RANDR": (stored.randr == nil ? 0 : 140, 89),
            "XWAYLAND": (stored.isXWayland ? 150 : 0, 0),
        ]
        let (opcode, first) = known[name] ?? (0, 0)
        answer(0, [opcode > 0 ? 1 : 0, opcode, first, 0])
    }

    private func answerDevices() {
        let infos = stored.devices.flatMap { device -> [UInt8] in
            let words = (Int(device.buttons) + 31) / 32
            var mask = [UInt8](repeating: 0, count: words * 4)
            for button in device.held { mask[button / 8] |= 1 << (button % 8) }
            // A class of keys comes first; the labels of the buttons follow their mask.
            let keys = Self.half(0) + Self.half(2) + Self.half(device.id) + Self.half(0)
            let buttons =
                Self.half(1) + Self.half(UInt16(2 + words + Int(device.buttons))) + Self.half(device.id)
                + Self.half(device.buttons) + mask + [UInt8](repeating: 255, count: Int(device.buttons) * 4)
            return Self.half(device.id) + Self.half(device.type) + Self.half(0) + Self.half(2) + Self.half(3) + [1, 0]
                + Array("abc\0".utf8) + keys + buttons
        }
        answer(0, Self.half(UInt16(stored.devices.count)) + [UInt8](repeating: 0, count: 22) + infos)
    }

    private func answerResources() {
        let (screens, outputs) = (stored.screens.count, stored.outputs.count)
        answer(
            0,
            Self.number(1) + Self.number(1) + Self.half(UInt16(screens)) + Self.half(UInt16(outputs)) + Self.number(0)
                + Self.number(0) + Self.number(0) + (0..<screens).flatMap { Self.number(UInt32(100 + $0)) }
                + (0..<outputs).flatMap { Self.number(UInt32(200 + $0)) })
    }

    private func answerScreen(_ index: Int) {
        guard stored.screens.indices.contains(index) else { return fail(3) }
        let screen = stored.screens[index]
        answer(
            0,
            Self.number(1) + [screen.x, screen.y, screen.width, screen.height].flatMap(Self.half)
                + Self.number(screen.mode) + Self.half(screen.rotation) + Self.half(15) + Self.number(0))
    }

    private func answerOutput(_ index: Int) {
        let name = stored.outputs[index]
        answer(
            0,
            [UInt8](repeating: 0, count: 26) + Self.half(UInt16(name.utf8.count)) + Self.padded(Array(name.utf8)))
    }
}
