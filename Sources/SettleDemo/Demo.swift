import CDemoWindow
import Glibc
import Settle
import SettlePlatform

/// The running program: reads the window's events, passes them to both halves, and draws.
final class Demo {
    /// At most 60 pictures of the window a second.
    private static let frameInterval = Duration.milliseconds(16)
    /// A lag meter that runs is drawn at most 20 times a second, so that drawing leaves the
    /// processors to the builds.
    private static let meterInterval = Duration.milliseconds(50)

    private let options: DemoOptions
    private let window: DemoWindow
    private let picture: JuliaPicture
    /// Readable when a half has something else to show.
    private let changed: EventDescriptor
    private let halves: [Half]
    private let naive: NaiveHalf
    private let settle: SettleHalf
    private var meters = [LagMeter(), LagMeter()]
    private var size: PixelSize
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
        halves = [Half(picture, changed: changed), Half(picture, changed: changed)]
        naive = try NaiveHalf(halves[0], rule: options.rule)
        settle = try SettleHalf(halves[1], changed: changed)
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
            readHalves()
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
            case .size(let size, let isResizing): resize(size, isResizing, now)
            case .button(let button, let isPressed): settle.pointer(button: button, isPressed: isPressed, at: now)
            case .damaged: needsDrawing = true
            case .close: return false
            }
        }
        return true
    }

    private func resize(_ size: PixelSize, _ isResizing: Bool?, _ now: Timestamp) {
        self.size = size
        needsDrawing = true
        let place = WindowLayout(size).pictureSize
        let isChanged = place != self.place
        self.place = place
        settle.geometry(place, isResizing: isResizing, at: now)
        guard isChanged else { return }
        sizes += 1
        naive.sizeChanged(to: place)
        updateMeters(isChanged: true, now)
    }

    private func readHalves() {
        if changed.drain() {
            needsDrawing = true
            updateMeters(isChanged: false, MonotonicClock.now)
        }
    }

    /// When the window is drawn next; `nil` while nothing changes.
    private var nextDrawing: Timestamp? {
        if needsDrawing { return lastFrame.advanced(by: Self.frameInterval) }
        let isMeterRunning = meters.contains { $0.staleSince != nil }
        return isMeterRunning ? lastFrame.advanced(by: Self.meterInterval) : nil
    }

    private func updateMeters(isChanged: Bool, _ now: Timestamp) {
        guard let place else { return }
        for index in meters.indices {
            meters[index].update(place: place, shown: halves[index].state.shown?.size, isChanged: isChanged, at: now)
        }
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
        let names = [
            ("NAIVE", options.rule == .every ? "every size, in order" : "the latest size, again and again", 0xE9A86B),
            ("SETTLE", "once, when the drag has ended", 0x6FC3B5 as UInt32),
        ]
        let cost = decimal(picture.typicalCost, of: .milliseconds(1), digits: 0)
        return WindowView(
            title: "Drag an edge of this window",
            system: "\(window.system == .x11 ? "X11" : "Wayland") · \(window.endSignal)",
            footer: "Same picture in both: \(cost) ms at 600 × 600",
            counter: sizes == 1 ? "1 size seen" : "\(sizes) sizes seen",
            halves: names.indices.map { index in
                HalfView(
                    name: names[index].0, rule: names[index].1, accent: names[index].2, state: halves[index].state,
                    stale: meters[index].stale(at: now), caughtUpAfter: meters[index].caughtUpAfter,
                    isHeldBack: index == 1 && settle.isDragged)
            }, drawsFrame: window.drawsFrame)
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
        let parts = zip(["naive", "settle"], halves.indices).map { name, index in
            let (state, meter) = (halves[index].state, meters[index])
            return "\"\(name)\":{\"rebuilds\":\(state.rebuilds),\"work_ms\":\(milliseconds(state.work))"
                + ",\"waiting\":\(state.waiting),\"shown\":\(state.shown.map { "\"\($0.size)\"" } ?? "null")"
                + ",\"stale_ms\":\(milliseconds(meter.stale(at: now))),\"longest_stale_ms\":\(milliseconds(meter.longest))"
                + ",\"caught_up_ms\":\(meter.caughtUpAfter.map(milliseconds) ?? "null")}"
        }
        return "{\"system\":\"\(window.system.rawValue)\",\"end\":\"\(window.endSignal)\",\"window\":\"\(size)\""
            + ",\"picture\":\(place.map { "\"\($0)\"" } ?? "null"),\"cost_ms\":\(milliseconds(picture.typicalCost))"
            + ",\"rule\":\"\(options.rule.rawValue)\",\"sizes\":\(sizes),\"drags\":\(settle.drags)"
            + ",\(parts.joined(separator: ","))}"
    }
}
