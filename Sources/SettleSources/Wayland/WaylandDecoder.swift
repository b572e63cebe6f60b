internal import Settle
internal import SettleLog

/// Follows the messages of one connection in both directions, and reports sizes, flags, buttons
/// and titles. It reads the headers of all messages, and the arguments only of those that
/// `WaylandMessage` lists.
///
/// After a malformed message it follows the connection no further, because the place where the next
/// one begins is unknown.
final class WaylandDecoder {
    enum Sender { case client, compositor }

    private enum Phase { case following, finished }

    /// One direction's place in its messages.
    private struct Frames {
        /// The beginning of a message of which the rest has not come.
        var partial: [UInt8] = []
        /// How many bytes of a message that is not read are still to come.
        var skipped = 0
    }

    private struct Toplevel {
        /// Given at the first configure, when the app has usually stated its id and title.
        var scene: SceneNumber?
        var title = ""
        var appID = ""
        /// Whether there are too many scenes to follow it.
        var isUnnamed = false
    }

    /// Buttons that one pointer can hold, the engine's limit for all.
    private static let buttonsMax = 32
    private let client: Int
    private let reports: WaylandReports
    private var phase = Phase.following
    private var fromClient = Frames()
    private var fromCompositor = Frames()
    private var objects: [UInt32: WaylandObject] = [WaylandObject.displayID: .display]
    private var toplevels: [UInt32: Toplevel] = [:]
    /// By wl_pointer, the buttons that it holds.
    private var pointers: [UInt32: [UInt32]] = [:]

    /// - Parameters:
    ///   - client: The connection's number, from 1 on.
    ///   - reports: Where to report what is decoded.
    init(client: Int, reports: WaylandReports) {
        self.client = client
        self.reports = reports
    }

    /// Decodes bytes that one side has sent, at `reports.now`.
    func decode(_ bytes: UnsafeRawBufferPointer, from sender: Sender) {
        guard phase == .following else { return }
        do throws(WaylandFault) {
            switch sender {
            case .client: try decode(bytes, sender, &fromClient)
            case .compositor: try decode(bytes, sender, &fromCompositor)
            }
        } catch {
            let who = sender == .client ? "a client of \(reports.app)" : "the compositor"
            let what = error.isLimit ? "more than is followed" : "a malformed message"
            reports.say(
                "\(who) sent \(what) on connection \(client): \(error.problem). It is passed on, but the windows of this"
                    + " connection are not followed any more")
            finish()
        }
    }

    /// Reports the end of the windows and the release of the buttons, once.
    func finish() {
        guard phase == .following else { return }
        phase = .finished
        releaseAll()
        // In the order in which they were made, so that a recording does not depend on a hash.
        for id in toplevels.keys.sorted() { removeToplevel(id) }
        objects = [:]
        pointers = [:]
        fromClient = Frames()
        fromCompositor = Frames()
    }

    // MARK: Messages in a stream

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ sender: Sender, _ frames: inout Frames
    ) throws(WaylandFault) {
        var rest = bytes
        if frames.skipped > 0 { Self.skip(&frames, &rest) }
        if !frames.partial.isEmpty { try completePartial(sender, &frames, &rest) }
        while rest.count >= WaylandHeader.length {
            let header = try Self.header(rest)
            guard let message = message(header, sender) else {
                frames.skipped = header.length
                Self.skip(&frames, &rest)
                continue
            }
            guard header.length <= rest.count else { break }
            try read(message, header, UnsafeRawBufferPointer(rebasing: rest[..<header.length]))
            rest = UnsafeRawBufferPointer(rebasing: rest[header.length...])
        }
        if !rest.isEmpty { frames.partial.append(contentsOf: rest) }
    }

    /// Continues the message whose beginning came before. Takes bytes from `rest`, all of them if
    /// the message is still not complete.
    private func completePartial(
        _ sender: Sender, _ frames: inout Frames, _ rest: inout UnsafeRawBufferPointer
    ) throws(WaylandFault) {
        Self.take(upTo: WaylandHeader.length, &frames, &rest)
        guard frames.partial.count >= WaylandHeader.length else { return }
        let header = try frames.partial.withUnsafeBufferPointer { bytes throws(WaylandFault) in
            try Self.header(UnsafeRawBufferPointer(bytes))
        }
        guard let message = message(header, sender) else {
            frames.skipped = header.length - frames.partial.count
            frames.partial.removeAll(keepingCapacity: true)
            Self.skip(&frames, &rest)
            return
        }
        Self.take(upTo: header.length, &frames, &rest)
        guard frames.partial.count == header.length else { return }
        try frames.partial.withUnsafeBufferPointer { bytes throws(WaylandFault) in
            try read(message, header, UnsafeRawBufferPointer(bytes))
        }
        frames.partial.removeAll(keepingCapacity: true)
    }

    private static func take(upTo count: Int, _ frames: inout Frames, _ rest: inout UnsafeRawBufferPointer) {
        let taken = max(0, min(count - frames.partial.count, rest.count))
        frames.partial.append(contentsOf: rest[..<taken])
        rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
    }

    private static func skip(_ frames: inout Frames, _ rest: inout UnsafeRawBufferPointer) {
        let skipped = min(frames.skipped, rest.count)
        frames.skipped -= skipped
        rest = UnsafeRawBufferPointer(rebasing: rest[skipped...])
    }

    private static func header(_ bytes: UnsafeRawBufferPointer) throws(WaylandFault) -> WaylandHeader {
        let header = WaylandHeader(bytes)
        if header.isMalformed { throw WaylandFault(problem: "it states a length of \(header.length) bytes") }
        return header
    }

    private func message(_ header: WaylandHeader, _ sender: Sender) -> WaylandMessage? {
        guard let object = objects[header.object] else { return nil }
        return sender == .client
            ? WaylandMessage(request: header.opcode, of: object) : WaylandMessage(event: header.opcode, of: object)
    }

    // MARK: One message

    private func read(
        _ message: WaylandMessage, _ header: WaylandHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(WaylandFault) {
        let body = UnsafeRawBufferPointer(rebasing: bytes[WaylandHeader.length...])
        var arguments = WaylandArguments(body)
        switch message {
        case .getRegistry: try add(arguments.newID(), .registry)
        case .getPointer:
            let id = try arguments.newID()
            try add(id, .pointer)
            pointers[id] = []
        case .getXDGSurface: try add(arguments.newID(), .xdgSurface)
        case .getToplevel:
            let id = try arguments.newID()
            try add(id, .toplevel)
            toplevels[id] = Toplevel()
        case .bind: try bind(&arguments)
        case .deleteID: try remove(arguments.unsigned())
        case .releasePointer, .destroyToplevel: remove(header.object)
        case .setTitle: setTitle(header.object, WaylandReports.text(try arguments.string()))
        case .setAppID: toplevels[header.object]?.appID = WaylandReports.text(try arguments.string())
        // The grab of the compositor that these begin swallows the release of the button.
        case .move, .resize: releaseAll()
        case .pointerLeave: release(header.object)
        case .pointerButton: try button(header.object, &arguments)
        case .configure: try configure(header.object, &arguments)
        }
    }

    private func add(_ id: UInt32, _ object: WaylandObject) throws(WaylandFault) {
        guard objects[id] == nil else { throw WaylandFault(problem: "it makes an object \(id), which exists") }
        guard objects.count < WaylandObject.countMax else {
            throw WaylandFault(
                problem: "the client has more than \(WaylandObject.countMax) seats and windows", isLimit: true)
        }
        objects[id] = object
    }

    private func bind(_ arguments: inout WaylandArguments) throws(WaylandFault) {
        _ = try arguments.unsigned()  // the global's number
        let interface = try arguments.string()
        _ = try arguments.unsigned()  // the version
        let id = try arguments.newID()
        if let object = WaylandObject(interface: interface) { try add(id, object) }
    }

    private func remove(_ id: UInt32) {
        guard let object = objects.removeValue(forKey: id) else { return }
        if object == .toplevel { removeToplevel(id) }
        if object == .pointer {
            release(id)
            pointers[id] = nil
        }
    }

    private func removeToplevel(_ id: UInt32) {
        if let scene = toplevels.removeValue(forKey: id)?.scene { reports.disconnect(scene) }
    }

    private func setTitle(_ id: UInt32, _ title: String) {
        guard let toplevel = toplevels[id], toplevel.title != title else { return }
        toplevels[id]?.title = title
        if let scene = toplevel.scene { reports.title(scene, title) }
    }

    private func configure(_ id: UInt32, _ arguments: inout WaylandArguments) throws(WaylandFault) {
        let size = Size(width: Double(try arguments.signed()), height: Double(try arguments.signed()))
        let states = try arguments.array()
        guard states.count % 4 == 0 else { throw WaylandFault(problem: "a window has states of \(states.count) bytes") }
        var isResizing = false
        for offset in stride(from: 0, to: states.count, by: 4)
        where states.loadUnaligned(fromByteOffset: offset, as: UInt32.self) == WaylandMessage.stateResizing {
            isResizing = true
        }
        guard let scene = scene(id) else { return }
        reports.configure(scene, size: size, isResizing: isResizing)
    }

    private func scene(_ id: UInt32) -> SceneNumber? {
        guard let toplevel = toplevels[id] else { return nil }
        if toplevel.scene != nil || toplevel.isUnnamed { return toplevel.scene }
        let name = toplevel.appID.isEmpty ? toplevel.title : toplevel.appID
        let scene = reports.scene(named: name, client: client, object: id)
        toplevels[id]?.scene = scene
        toplevels[id]?.isUnnamed = scene == nil
        if let scene, !toplevel.title.isEmpty { reports.title(scene, toplevel.title) }
        return scene
    }

    // MARK: Buttons

    private func button(_ pointer: UInt32, _ arguments: inout WaylandArguments) throws(WaylandFault) {
        _ = try arguments.unsigned()  // the serial
        _ = try arguments.unsigned()  // the compositor's time, of an unknown clock
        let button = try arguments.unsigned()
        let isPressed = try arguments.unsigned() != 0
        let place = pointers[pointer]?.firstIndex(of: button)
        if isPressed, place == nil, pointers[pointer].map({ $0.count < Self.buttonsMax }) == true {
            pointers[pointer]?.append(button)
            reports.press(button)
        } else if !isPressed, let place {
            pointers[pointer]?.remove(at: place)
            reports.release(button)
        }
    }

    private func release(_ pointer: UInt32) {
        for button in pointers[pointer] ?? [] { reports.release(button) }
        pointers[pointer] = []
    }

    private func releaseAll() {
        for id in pointers.keys.sorted() { release(id) }
    }
}
