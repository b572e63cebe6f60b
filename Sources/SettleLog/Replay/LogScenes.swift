internal import CSettle
internal import Settle

/// The scenes of a log in an engine, by the contract's log rule (`settle_log_applies`), and what the log's events
/// say. `SceneBindings` is the same for what is no engine's scene.
struct LogScenes {
    /// By the numbers of the scenes' names.
    private var rows: [settle_log_scene] = []
    /// The numbers of the names, by the handles in `rows`. A scene that disconnects keeps its number: decisions about
    /// it may still be due.
    private var numbers: SceneTable<SceneNumber>
    private(set) var counts = LogCounts()

    /// No scene of the engine is connected yet.
    init(_ engine: borrowing Engine) { numbers = engine.makeSceneTable() }

    /// Binds events up to one that may connect or disconnect a scene; returns how many.
    mutating func bindRun(_ events: UnsafeMutableBufferPointer<settle_event>) -> Int {
        settle_log_bind(events.baseAddress, events.count, rows, rows.count, &counts.raw)
    }

    /// Binds an event that may connect or disconnect its scene.
    ///
    /// - Parameter connect: Connects a scene of the engine.
    /// - Throws: What `connect` throws; the scene is then still not connected.
    mutating func bind(
        _ event: inout settle_event, connect: () throws(EngineError) -> SceneID
    ) throws(EngineError) {
        let number = LogEvent(event).name
        var row = number.index < rows.count ? rows[number.index] : settle_log_scene()
        var isConnected = row.handle != 0
        let applies = settle_log_applies(&event, &isConnected)
        if row.handle == 0, applies {
            let scene = try connect()
            numbers[scene] = number
            row.handle = scene.rawValue
        }
        // A report is of a scene that was there, or of none.
        let isNew = row.is_counted == 0 && !settle_event_is_report(UInt32(event.kind))
        counts.add(event, isNew: isNew)
        // The engine counts what it rejects.
        event.scene = row.handle
        rows.append(contentsOf: repeatElement(settle_log_scene(), count: max(0, number.index + 1 - rows.count)))
        rows[number.index] = settle_log_scene(
            handle: isConnected ? row.handle : 0, is_counted: isNew ? 1 : row.is_counted)
    }

    /// The handle of a scene, `nil` while it is not connected.
    func handle(of scene: SceneNumber) -> SceneID? {
        guard scene.index < rows.count, rows[scene.index].handle != 0 else { return nil }
        return SceneID(rawValue: rows[scene.index].handle)
    }

    /// The number of the name of a scene that the engine decides about: it was bound before.
    subscript(scene: SceneID) -> SceneNumber { numbers[scene]! }

    /// The connected scenes, in the order of their names.
    var connected: [SceneNumber] { rows.indices.filter { rows[$0].handle != 0 }.map(SceneNumber.init) }
}

/// What the events of a log say, whether an engine rejects them or not.
struct LogCounts {
    fileprivate var raw = settle_log_counts(first_ns: .max, last_ns: 0, events: 0, pointers: 0)
    /// Different names of scenes.
    private(set) var scenes = 0

    var events: Int { Int(raw.events) }
    /// Pointer events among them.
    var pointerEvents: Int { Int(raw.pointers) }
    /// The earliest time, `nil` without events.
    var first: Timestamp? { raw.events == 0 ? nil : Timestamp(nanoseconds: raw.first_ns) }
    /// The latest time, `nil` without events.
    var last: Timestamp? { raw.events == 0 ? nil : Timestamp(nanoseconds: raw.last_ns) }

    /// Counts an event whose scene may not be connected; `settle_log_bind` counts the others.
    ///
    /// - Parameter isNew: Whether it is the first of its scene's name.
    fileprivate mutating func add(_ event: settle_event, isNew: Bool) {
        raw.events += 1
        raw.first_ns = min(raw.first_ns, event.at_ns)
        raw.last_ns = max(raw.last_ns, event.at_ns)
        if isNew { scenes += 1 }
    }
}
