import CDemoWindow
import Settle
import SettleClock
import SettlePlatform

/// The running program: reads the window's events, passes them to the three parts, and draws.
final class Demo {
    /// At most 60 pictures of the window a second.
    private static let frameInterval = Duration.milliseconds(16)
    /// A meter that runs is drawn at most 20 times a second, so that drawing leaves the
    /// processors to the builds.
    private static let meterInterval = Duration.milliseconds(50)

    private let options: DemoOptions
    private let window: DemoWindow
    private let picture: JuliaPicture
    /// Readable when a part has something else to show.
    private let changed: EventDescriptor
    private let parts: [Part]
    /// The left one: every size, or Settle at the end.
    private let everySize: EverySizePart?
    private let atTheEnd: SettlePart?
    private let debounce: DebouncePart
    private let settle: SettlePart
    /// The events that the parts were given, as a log.
    let recording: Recording
    /// What the parts had cost when the last drag began, and the drags before it.
    private var before = (tallies: [Tally](), began: 0)
    private var lastChange = Timestamp.zero
    private var size: PixelSize
    /// The display's.
    private var scale = 1.0
    private var place: PixelSize?
    /// Sizes of the pictures' place that the window had, without repetitions.
    private var sizes = 0
    private var needsDrawing = true
    private var lastFrame = Timestamp(nanoseconds: 0)

    init(_ options: DemoOptions, _ window: DemoWindow) throws {
        self.options = options
        self.window = window
        size = options.size
        picture = JuliaPicture(cost: options.cost)
        changed = try EventDescriptor()
        let (picture, changed) = (picture, changed)
        parts = (0..<3).map { _ in Part(picture, changed: changed) }
        recording = Recording(system: window.system.rawValue, isOn: options.record != nil)
        let parts = parts
        everySize = options.isPrepared ? nil : try EverySizePart(parts[0])
        atTheEnd =
            options.isPrepared ? try SettlePart(parts[0], .default, changed: changed, recording: recording) : nil
        debounce = try DebouncePart(parts[1])
        let policy = options.isPrepared ? Policy.prepared : .live
        settle = try SettlePart(parts[2], policy, changed: changed, recording: recording) {
            for part in parts { if let end = $0 { part.letGo(at: end) } else { part.takeHold() } }
        }
        // For libdispatch, which runs the rebuilder's tasks, and ends a process without them: three with
        // the first task, one while it looks at its threads later on, and one to spare.
        try checkDescriptors(5)
    }

    /// Runs until a person closes the window, or the time is over, or a descriptor is readable.
    ///
    /// - Throws: `DemoFailure` when the window system is gone.
    func run(until signals: Int32) throws(DemoFailure) {
        let end = options.duration.map { MonotonicClock.now.advanced(by: $0) }
        while true {
            if let end, MonotonicClock.now >= end { return }
            guard try readEvents() else { return }
            if changed.drain() { needsDrawing = true }
            if isReadable(signals) { return }
            let drawing = try drawIfDue()
            // Sending a picture may have read events, which are not on the descriptor any more.
            if drawing != .done { wait(signals, end, drawing) }
        }
    }

    /// What became of an attempt to draw.
    private enum Drawing {
        case done
        /// Nothing is to be drawn before a time, or at all.
        case notDue
        /// The window system still works at the last picture; that it is done arrives on the
        /// descriptor. It may take long, as for a window that is hidden.
        case refused
    }

    private func drawIfDue() throws(DemoFailure) -> Drawing {
        let now = MonotonicClock.now
        guard let due = nextDrawing, now >= due else { return .notDue }
        guard try window.present(size, draw: { view(at: now).draw(on: $0) }) else { return .refused }
        needsDrawing = false
        lastFrame = now
        return .done
    }

    /// - Returns: False when a person closes the window.
    private func readEvents() throws(DemoFailure) -> Bool {
        while let event = try window.next() {
            let now = MonotonicClock.now
            switch event {
            case .size(let size, let scale, let isResizing):
                self.scale = scale
                resize(size, isResizing, now)
            case .button(let button, let isPressed):
                settle.pointer(button: button, at: now, isPressed: isPressed)
                atTheEnd?.pointer(button: button, at: now, isPressed: isPressed)
                recording.pointer(button: button, at: now, isPressed: isPressed)
            case .damaged: needsDrawing = true
            case .close: return false
            }
        }
        return true
    }

    private func resize(_ size: PixelSize, _ isResizing: Bool?, _ now: Timestamp) {
        self.size = size
        needsDrawing = true
        let place = WindowLayout(size, scale: scale).pictureSize
        let isChanged = place != self.place
        if isChanged { noteDrag(now) }
        self.place = place
        settle.geometry(place, isResizing: isResizing, at: now)
        atTheEnd?.geometry(place, isResizing: isResizing, at: now)
        recording.geometry(place, isResizing: isResizing, at: now)
        guard isChanged else { return }
        sizes += 1
        for part in parts { part.placeChanged(to: place, at: now) }
        everySize?.sizeChanged(to: place)
        debounce.sizeChanged(to: place, at: now)
    }

    /// The first change of a drag comes before the engine says that it began.
    private func noteDrag(_ now: Timestamp) {
        if !settle.isDragged, lastChange.duration(to: now) > .milliseconds(250) {
            before = (parts.map { $0.state.tally(at: now) }, settle.began)
        }
        lastChange = now
    }

    /// What the last drag has cost each part so far; empty before the first.
    private func verdict(at now: Timestamp) -> [Tally] {
        guard settle.began > before.began else { return [] }
        return zip(parts, before.tallies).map { $0.state.tally(at: now) - $1 }
    }

    /// When the window is drawn next; `nil` while nothing changes.
    private var nextDrawing: Timestamp? {
        if needsDrawing { return lastFrame.advanced(by: Self.frameInterval) }
        let isMeterRunning = parts.contains { $0.state.meter.staleSince != nil }
        return isMeterRunning ? lastFrame.advanced(by: Self.meterInterval) : nil
    }

    private func wait(_ signals: Int32, _ end: Timestamp?, _ drawing: Drawing) {
        let times = [end, drawing == .refused ? nil : nextDrawing].compactMap { $0 }
        let rest = times.min().map { MonotonicClock.now.duration(to: $0) }
        var descriptors = [window.descriptor, changed.number, signals].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = rest.map { Int32(clamping: Int(max(0, $0 / .milliseconds(1)).rounded(.up))) } ?? -1
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    private func view(at now: Timestamp) -> WindowView {
        let names: [(name: String, rules: [String], accent: UInt32)] = [
            options.isPrepared
                ? ("AT THE END", ["when the hand lets go", "at the end"], 0xE9A86B)
                : ("EVERY SIZE", ["the newest, once a frame", "once a frame"], 0xE9A86B),
            ("DEBOUNCE", ["100 ms after a change", "after 100 ms"], 0xB9A3E3),
            options.isPrepared
                ? ("SETTLE", ["prepared while the hand rests", "prepared"], 0x6FC3B5)
                : ("SETTLE", ["live for 30 % of the time", "live for 30 %"], 0x6FC3B5),
        ]
        let previews = settle.previews
        let preparing = previews.held > 0 ? "prepared" : previews.running > 0 ? "being prepared" : nil
        let cost = decimal(picture.typicalCost, of: .milliseconds(1), digits: 0)
        let system = window.system == .x11 ? "X11" : "Wayland"
        return WindowView(
            title: "Drag an edge of this window",
            systems: ["\(system) · \(window.endSignal)", system],
            verdict: verdict(at: now),
            footer: "Same picture in all: \(cost) ms at 600 × 600",
            counter: sizes == 1 ? "1 size seen" : "\(sizes) sizes seen",
            parts: names.indices.map { index in
                PartView(
                    name: names[index].name, rules: names[index].rules, accent: names[index].accent,
                    state: parts[index].state, now: now, isDragged: index == 2 && settle.isDragged,
                    preparing: index == 2 ? preparing : nil)
            }, drawsFrame: window.drawsFrame, scale: scale)
    }

    /// The window's content as it would be drawn now, as a PNG file.
    ///
    /// - Throws: `DemoFailure` without zlib or memory.
    func screenshot() throws(DemoFailure) -> [UInt8] {
        let now = MonotonicClock.now
        var pixels = [UInt32](repeating: 0, count: size.width * size.height)
        // A window is never empty.
        pixels.withUnsafeMutableBufferPointer { view(at: now).draw(on: Canvas(pixels: $0.baseAddress!, size: size)) }
        var message = [CChar](repeating: 0, count: DEMO_WINDOW_MESSAGE_MAX)
        var (bytes, count) = (nil as UnsafeMutablePointer<UInt8>?, 0)
        let result = demo_picture_encode(pixels, Int32(size.width), Int32(size.height), &bytes, &count, &message)
        guard result == 0, let bytes else { throw .system(text(message)) }
        defer { free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// What was counted, as a line of JSON.
    func report() -> String {
        let now = MonotonicClock.now
        func milliseconds(_ duration: Duration) -> String { decimal(duration, of: .milliseconds(1), digits: 1) }
        func counts(_ tally: Tally) -> String {
            "\"builds\":\(tally.builds),\"work_ms\":\(milliseconds(tally.work)),\"wrong_ms\":\(milliseconds(tally.wrong))"
        }
        func cost(_ cost: (fixed: Double, perPixel: Double)) -> String { "[\(cost.fixed.rounded()),\(cost.perPixel)]" }
        let drag = verdict(at: now)
        let names = [options.isPrepared ? "at_the_end" : "every_size", "debounce", "settle"]
        let previews = settle.previews
        let stated = zip(names, parts.indices).map { name, index in
            let state = parts[index].state
            return "\"\(name)\":{\(counts(state.tally(at: now)))"
                + ",\"cost\":\(cost(state.cost(\.work))),\"took\":\(cost(state.cost(\.time)))"
                + ",\"took_ms\":\(milliseconds(state.costs.reduce(.zero) { $0 + $1.time }))"
                + ",\"shown\":\(state.shown.map { "\"\($0.size)\"" } ?? "null")"
                + ",\"stale_ms\":\(milliseconds(state.meter.stale(at: now)))"
                + ",\"caught_up_ms\":\(state.meter.caughtUpAfter.map(milliseconds) ?? "null")"
                + ",\"right_after_ms\":[\(state.meter.rightAfterAll.map(milliseconds).joined(separator: ","))]"
                + ",\"last_drag\":\(drag.isEmpty ? "null" : "{\(counts(drag[index]))}")}"
        }
        return
            "{\"system\":\"\(window.system.rawValue)\",\"end\":\"\(window.endSignal)\",\"window\":\"\(size)\",\"scale\":\(scale)"
            + ",\"picture\":\(place.map { "\"\($0)\"" } ?? "null"),\"cost_ms\":\(milliseconds(picture.typicalCost))"
            + ",\"sizes\":\(sizes),\"drags\":\(settle.drags)"
            + ",\"prepared\":{\"kept\":\(previews.kept),\"given_up\":\(previews.givenUp),\"used\":\(previews.used)"
            + ",\"held\":\(previews.held)}"
            + ",\(stated.joined(separator: ","))}"
    }
}
