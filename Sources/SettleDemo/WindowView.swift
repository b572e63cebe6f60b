import CDemoWindow
import Settle

/// Where everything stands in a window of a size.
struct WindowLayout {
    /// On a display with the scale 1.
    static let minimum = PixelSize(width: 320, height: 200)

    /// Whether the window is so small that labels are half as large and some are left out.
    let isCompact: Bool
    private let scale: Double
    let margin: Int
    let titleHeight: Int
    /// Between a part's edge and what it shows.
    let inset: Int
    /// The size of text, in pixels for each of a glyph's.
    let text: Int
    /// The whole of each part, from left to right.
    let cards: [PixelRectangle]
    /// The place of each part's picture; all have one size.
    let pictures: [PixelRectangle]
    /// The upper edge of the lines below the parts.
    let footer: Int

    init(_ window: PixelSize, scale: Double = 1) {
        func pixels(_ length: Int) -> Int { Int((Double(length) * scale).rounded()) }
        let isCompact = window.width < pixels(780) || window.height < pixels(400)
        self.isCompact = isCompact
        self.scale = scale
        text = max(1, Int(((isCompact ? 1 : 2) * scale).rounded()))
        margin = pixels(isCompact ? 6 : 14)
        inset = pixels(isCompact ? 6 : 12)
        titleHeight = pixels(isCompact ? 24 : Int(DEMO_WINDOW_TITLE_PX))
        let (head, counters) = (pixels(isCompact ? 20 : 64), pixels(isCompact ? 34 : 116))
        let width = max(3 * inset, (window.width - 4 * margin) / 3)
        let height = max(head + counters + inset, window.height - titleHeight - pixels(isCompact ? 30 : 66))
        footer = titleHeight + height
        let (margin, inset, top) = (margin, inset, titleHeight)
        cards = (0..<3).map { side in
            PixelRectangle(x: margin + side * (width + margin), y: top, width: width, height: height)
        }
        pictures = cards.map { card in
            PixelRectangle(
                x: card.x + inset, y: card.y + head, width: card.width - 2 * inset,
                height: card.height - head - counters)
        }
    }

    /// A length on a display with the scale 1, in pixels.
    func pixels(_ length: Int) -> Int { Int((Double(length) * scale).rounded()) }

    /// The size for which all parts build their picture.
    var pictureSize: PixelSize { pictures[0].size }
}

/// What one part states about itself.
struct PartView {
    let name: String
    /// In forms of which the first that fits is shown.
    let rules: [String]
    let accent: UInt32
    let state: Part.State
    let now: Timestamp
    /// Whether a drag goes on that it knows of.
    let isDragged: Bool
    /// What is prepared, while nothing of it is shown.
    let preparing: String?
}

/// Draws the window. It changes nothing.
struct WindowView {
    /// How wrong a size is whose meter is full.
    private static let fullPart = 0.2
    private static let background: UInt32 = 0x12161C
    private static let card: UInt32 = 0x1A2029
    private static let line: UInt32 = 0x2C3541
    private static let bright: UInt32 = 0xE8EDF2
    private static let dim: UInt32 = 0x94A2B1
    private static let alarm: UInt32 = 0xE2705B

    let title: String
    /// The window system and what ends a drag, in forms of which the first that fits is shown.
    let systems: [String]
    /// What the last drag cost each part; empty before the first.
    let verdict: [Tally]
    let footer: String
    let counter: String
    let parts: [PartView]
    let drawsFrame: Bool
    /// The display's.
    let scale: Double

    func draw(on canvas: Canvas) {
        let layout = WindowLayout(canvas.size, scale: scale)
        canvas.fill(canvas.bounds, Self.background)
        drawTitle(layout, canvas)
        for (index, part) in parts.enumerated() {
            draw(part, layout, layout.cards[index], layout.pictures[index], canvas)
        }
        drawVerdict(layout, canvas)
        drawFooter(layout, canvas)
        if drawsFrame { canvas.frame(canvas.bounds, Self.line) }
    }

    /// The first of several texts that fits; `nil` if none does.
    private func fitting(_ forms: [String], _ width: Int, _ layout: WindowLayout) -> String? {
        forms.first { Canvas.textWidth($0, size: layout.text) <= width }
    }

    private func drawFooter(_ layout: WindowLayout, _ canvas: Canvas) {
        let (left, y) = (layout.margin + layout.text, layout.footer + layout.pixels(layout.isCompact ? 19 : 39))
        let right = canvas.size.width - left
        let counted = fitting([counter], right - left, layout) ?? ""
        let x = right - Canvas.textWidth(counted, size: layout.text)
        canvas.text(counted, x: x, y: y, size: layout.text, Self.dim)
        guard let stated = fitting([footer], x - left - layout.margin, layout) else { return }
        canvas.text(stated, x: left, y: y, size: layout.text, Self.dim)
    }

    /// What the last drag cost each part, below its card and in its colour; shorter where that is narrow.
    private func drawVerdict(_ layout: WindowLayout, _ canvas: Canvas) {
        let y = layout.footer + layout.pixels(layout.isCompact ? 6 : 13)
        if verdict.isEmpty {
            canvas.text("no drag yet", x: layout.margin + layout.text, y: y, size: layout.text, Self.dim)
        }
        for (index, tally) in verdict.enumerated() {
            let card = layout.cards[index]
            let figures = "\(spent(tally.work)), wrong \(spent(tally.wrong))"
            let forms = [
                "this drag: \(builds(tally.builds)), \(figures)", "drag: \(builds(tally.builds)), \(figures)",
                "drag: \(tally.builds), \(figures)", "\(tally.builds), \(figures)",
                "drag: \(tally.builds), \(spent(tally.work))", "\(tally.builds), \(spent(tally.work))",
            ]
            guard let form = fitting(forms, card.width, layout) else { continue }
            canvas.text(form, x: card.x + layout.text, y: y, size: layout.text, parts[index].accent)
        }
    }

    private func drawTitle(_ layout: WindowLayout, _ canvas: Canvas) {
        let (left, y) = (layout.margin + layout.text, (layout.titleHeight - 7 * layout.text) / 2)
        var right = canvas.size.width - left
        if drawsFrame {
            let side = layout.pixels(Int(DEMO_WINDOW_CLOSE_PX))
            right = canvas.size.width - side
            let x = right + (side - Canvas.textWidth("×", size: layout.text)) / 2
            canvas.text("×", x: x, y: y, size: layout.text, Self.bright)
        }
        guard let title = fitting([title, "Drag an edge"], right - left, layout) else { return }
        let end = canvas.text(title, x: left, y: y, size: layout.text, Self.bright)
        guard let system = fitting(systems, right - end - layout.margin, layout) else { return }
        canvas.text(system, x: right - Canvas.textWidth(system, size: layout.text), y: y, size: layout.text, Self.dim)
    }

    private func draw(
        _ part: PartView, _ layout: WindowLayout, _ card: PixelRectangle, _ place: PixelRectangle, _ canvas: Canvas
    ) {
        canvas.fill(card, Self.card)
        canvas.frame(card, Self.line)
        canvas.fill(PixelRectangle(x: card.x, y: card.y, width: card.width, height: layout.pixels(3)), part.accent)
        let top = card.y + layout.pixels(layout.isCompact ? 8 : 14)
        if let name = fitting([part.name], place.width, layout) {
            canvas.text(name, x: place.x, y: top, size: layout.text, part.accent)
        }
        if !layout.isCompact, let rule = fitting(part.rules, place.width, layout) {
            canvas.text(rule, x: place.x, y: card.y + layout.pixels(37), size: layout.text, Self.dim)
        }
        if let picture = part.state.shown {
            canvas.draw(picture, in: place)
        } else {
            canvas.frame(place, Self.line)
        }
        if layout.isCompact {
            drawShortCounters(part, layout, place, canvas)
        } else {
            drawCounters(part, layout, place, canvas)
        }
    }

    private func drawShortCounters(_ part: PartView, _ layout: WindowLayout, _ place: PixelRectangle, _ canvas: Canvas)
    {
        let tally = part.state.tally(at: part.now)
        let lines = [
            (["\(builds(tally.builds)), \(spent(tally.work))", "\(tally.builds), \(spent(tally.work))"], Self.bright),
            (["wrong \(spent(tally.wrong))", spent(tally.wrong)], Self.dim),
        ]
        for (number, (forms, color)) in lines.enumerated() {
            guard let line = fitting(forms, place.width, layout) else { continue }
            let y = place.bottom + layout.pixels(6 + 13 * number)
            canvas.text(line, x: place.x, y: y, size: layout.text, color)
        }
    }

    private func drawCounters(_ part: PartView, _ layout: WindowLayout, _ place: PixelRectangle, _ canvas: Canvas) {
        func width(_ line: String, _ size: Int) -> Int { Canvas.textWidth(line, size: size) }
        let (small, large, gap) = (layout.text, 2 * layout.text, layout.pixels(8))
        let (y, base) = (place.bottom + layout.pixels(14), place.bottom + layout.pixels(14) + 7 * layout.text)
        let tally = part.state.tally(at: part.now)
        // Large numbers, where there is room for both.
        let (left, right) = ("\(tally.builds)", spent(tally.work))
        let label = tally.builds == 1 ? "build" : "builds"
        let labels = width("builds", small) + width("work", small) + 5 * gap
        let isWide = width("000", large) + width("000 ms", large) + labels <= place.width
        let isLarge = isWide || width(left, large) + width(right, small) + labels <= place.width
        var x = canvas.text(left, x: place.x, y: isLarge ? y : base, size: isLarge ? large : small, Self.bright)
        // Where there is no room for labels, the numbers stand alone.
        let hasLabels = isLarge || width(left, small) + width(right, small) + labels <= place.width
        if hasLabels { canvas.text(label, x: x + gap, y: base, size: small, Self.dim) }
        x = place.right
        if hasLabels {
            x -= width("work", small)
            canvas.text("work", x: x, y: base, size: small, Self.dim)
            x -= gap
        }
        let size = isWide ? large : small
        canvas.text(right, x: x - width(right, size), y: isWide ? y : base, size: size, Self.bright)
        let row = PixelRectangle(
            x: place.x, y: place.bottom + layout.pixels(59), width: place.width, height: 7 * layout.text)
        drawMeter(part, "wrong \(spent(tally.wrong))", row, layout, canvas)
        if let note = fitting(notes(part), place.width, layout) {
            canvas.text(note, x: place.x, y: place.bottom + layout.pixels(86), size: small, Self.dim)
        }
    }

    /// How wrong the size is now, as a bar that is full at 20 %, and the wrong time so far.
    private func drawMeter(
        _ part: PartView, _ number: String, _ row: PixelRectangle, _ layout: WindowLayout, _ canvas: Canvas
    ) {
        let room = Canvas.textWidth("wrong 000.00 s", size: layout.text) + layout.inset
        let bar = PixelRectangle(x: row.x, y: row.y, width: max(0, row.width - room), height: row.height)
        canvas.fill(bar, Self.line)
        let share = min(1, part.state.meter.part / Self.fullPart)
        canvas.fill(
            PixelRectangle(x: bar.x, y: bar.y, width: Int(Double(bar.width) * share), height: bar.height),
            share < 0.5 ? part.accent : Self.alarm)
        let x = row.right - Canvas.textWidth(number, size: layout.text)
        canvas.text(number, x: x, y: row.y, size: layout.text, Self.bright)
    }

    /// In forms of which the first that fits is shown.
    private func notes(_ part: PartView) -> [String] {
        let meter = part.state.meter
        if let preparing = part.preparing { return [preparing] }
        if part.state.isWaiting { return ["a size waits"] }
        if part.isDragged, let cost = part.state.costs.last?.work, cost > Policy.live.liveLimit ?? cost {
            return ["costly: live where it rests"]
        }
        if meter.staleSince != nil { return ["shows the last picture"] }
        if let after = meter.rightAfter {
            let figure = "\(decimal(after, of: .milliseconds(1), digits: 0)) ms"
            return ["right after letting go: \(figure)", "after letting go: \(figure)", figure]
        }
        guard let after = meter.caughtUpAfter else { return ["shows the right size"] }
        return ["right after \(decimal(after, of: .milliseconds(1), digits: 0)) ms"]
    }
}

private func builds(_ count: Int) -> String { count == 1 ? "1 build" : "\(count) builds" }

/// A time that adds up, with a unit that fits it.
private func spent(_ duration: Duration) -> String {
    if duration < .seconds(1) { return "\(decimal(duration, of: .milliseconds(1), digits: 0)) ms" }
    return "\(decimal(duration, of: .seconds(1), digits: duration < .seconds(100) ? 2 : 0)) s"
}

/// A duration in a unit, with at most three digits after the point.
func decimal(_ duration: Duration, of unit: Duration, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let value = Int((duration / unit * Double(scale)).rounded())
    guard digits > 0 else { return "\(value)" }
    let fraction = String(value % scale)
    return "\(value / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
