internal import Settle
internal import SettleLog

/// What the decoders of all connections report, until the source hands it on.
final class WaylandReports {
    /// Names of scenes; an app that has had more windows of different names is not followed into
    /// further ones.
    static let scenesMax = 1 << 14
    /// What is kept of a title or an app id, in bytes of UTF-8.
    static let titleLengthMax = 256

    let scenes = SceneNames()
    /// The name of windows that have neither app id nor title.
    let app: String
    /// The time of the bytes that are decoded.
    var now = Timestamp(nanoseconds: 0)
    private var events: [LogEvent] = []
    private var news: [SourceNews] = []
    /// By button, how many pointers of the connections hold it.
    private var held: [UInt32: Int] = [:]
    /// What `sayOnce` has spoken about.
    private var said: Set<String> = []

    init(app: String) { self.app = app }

    /// Whether all events have been handed on.
    var isEmpty: Bool { events.isEmpty }

    /// Moves the events into a batch, as many as fit.
    func move(into batch: EventBatch) { batch.move(&events) }

    /// What is to be said since the last call.
    func takeNews() -> [SourceNews] {
        if news.isEmpty { return [] }
        defer { news = [] }
        return news
    }

    /// The scene of a new window; `nil` if there are too many.
    func scene(named name: String, client: Int, object: UInt32) -> SceneNumber? {
        guard scenes.count < Self.scenesMax else {
            sayOnce(
                about: "windows",
                "\(app) has had \(Self.scenesMax) windows, with those that are closed; further ones are not followed")
            return nil
        }
        return scenes.number(of: "\(name.isEmpty ? app : name) \(client):\(object)")
    }

    func configure(_ scene: SceneNumber, size: Size, isResizing: Bool) {
        events.append(.geometry(scene, at: now, size: size, isInteractivelyResizing: isResizing))
    }

    func disconnect(_ scene: SceneNumber) { events.append(.disconnect(scene, at: now)) }

    func title(_ scene: SceneNumber, _ title: String) { news.append(.title(scene, title)) }

    /// A pointer presses a button. The engine's buttons are those of all pointers, so only the
    /// first press of a button is an event.
    func press(_ button: UInt32) {
        held[button, default: 0] += 1
        if held[button] == 1 { events.append(.pointer(button: button, at: now, isPressed: true)) }
    }

    /// A pointer that holds a button releases it.
    func release(_ button: UInt32) {
        guard let count = held[button] else { return }
        held[button] = count > 1 ? count - 1 : nil
        if count == 1 { events.append(.pointer(button: button, at: now, isPressed: false)) }
    }

    func say(_ message: String) { news.append(.message(message)) }

    /// Says what may be true again and again, such as that a limit is reached.
    func sayOnce(about matter: String, _ message: String) {
        if said.insert(matter).inserted { say(message) }
    }

    /// The text of a title or an app id, cut to what is kept.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > titleLengthMax else { return String(decoding: bytes, as: UTF8.self) }
        // Not in the middle of a character.
        var end = titleLengthMax
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
