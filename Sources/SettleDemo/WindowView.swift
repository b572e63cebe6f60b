import CDemoWindow
import Settle

/// Where everything stands in a window of a size.
struct WindowLayout {
    static let minimum = PixelSize(width: 960, height: 480)
    static let margin = 14
    static let titleHeight = DEMO_WINDOW_TITLE_PX
    private static let footerHeight = 66
    private static let headHeight = 64
    private static let countersHeight = 116

    /// The whole of each part, from left to right.
    let cards: [PixelRectangle]
    /// The place of each part's picture; all have one size.
    let pictures: [PixelRectangle]
    /// The upper edge of the lines below the parts.
    let footer: Int

    init(_ window: PixelSize) {
        let width = max(48, (window.width - 4 * Self.margin) / 3)
        let height = max(
            Self.headHeight + Self.countersHeight + 24, window.height - Self.titleHeight - Self.footerHeight)
        footer = Self.titleHeight + height
        cards = (0..<3).map { side in
            PixelRectangle(
                x: Self.margin + side * (width + Self.margin), y: Self.titleHeight, width: width, height: height)
        }
        pictures = cards.map { card in
            PixelRectangle(
                x: card.x + 12, y: card.y + Self.headHeight, width: card.width - 24,
                height: card.height - Self.headHeight - Self.countersHeight)
        }
    }

    /// The size for which all parts build their picture.
    var pictureSize: PixelSize { pictures[0].size }
}

/// What one part states about itself.
struct PartView {
    let name: String
    let rule: String
    let accent: UInt32
    let state: Part.State
    let now: Timestamp
    /// Whether a drag goes on that it knows of.
    let isDragged: Bool
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
    let system: String
    /// What the last drag cost each part; empty before the first.
    let verdict: [Tally]
    let footer: String
    let counter: String
    let parts: [PartView]
    let drawsFrame: Bool

    func draw(on canvas: Canvas) {
        let layout = WindowLayout(canvas.size)
        canvas.fill(canvas.bounds, Self.background)
        drawTitle(canvas)
        for (index, part) in parts.enumerated() {
            draw(part, layout.cards[index], layout.pictures[index], canvas)
        }
        let margin = WindowLayout.margin
        drawVerdict(layout, canvas)
        canvas.text(footer, x: margin + 2, y: layout.footer + 39, Self.dim)
        canvas.text(
            counter, x: canvas.size.width - margin - 2 - Canvas.textWidth(counter), y: layout.footer + 39, Self.dim)
        if drawsFrame { canvas.frame(canvas.bounds, Self.line) }
    }

    /// What the last drag cost each part, below its card and in its colour; shorter where that is narrow.
    private func drawVerdict(_ layout: WindowLayout, _ canvas: Canvas) {
        let y = layout.footer + 13
        if verdict.isEmpty { canvas.text("no drag yet", x: WindowLayout.margin + 2, y: y, Self.dim) }
        for (index, tally) in verdict.enumerated() {
            let card = layout.cards[index]
            let figures = "\(spent(tally.work)), wrong \(spent(tally.wrong))"
            let forms = [
                "this drag: \(builds(tally.builds)), \(figures)", "drag: \(builds(tally.builds)), \(figures)",
                "drag: \(tally.builds), \(figures)", "\(tally.builds), \(figures)",
            ]
            let fitting = forms.first { Canvas.textWidth($0) <= card.width }
            if let fitting { canvas.text(fitting, x: card.x + 2, y: y, parts[index].accent) }
        }
    }

    private func drawTitle(_ canvas: Canvas) {
        let margin = WindowLayout.margin
        let y = (WindowLayout.titleHeight - 14) / 2
        canvas.text(title, x: margin + 2, y: y, Self.bright)
        var right = canvas.size.width - margin - 2
        if drawsFrame {
            let side = DEMO_WINDOW_CLOSE_PX
            right = canvas.size.width - side
            canvas.text("×", x: right + (side - Canvas.textWidth("×")) / 2, y: y - 1, Self.bright)
        }
        canvas.text(system, x: right - Canvas.textWidth(system), y: y, Self.dim)
    }

    private func draw(_ part: PartView, _ card: PixelRectangle, _ place: PixelRectangle, _ canvas: Canvas) {
        canvas.fill(card, Self.card)
        canvas.frame(card, Self.line)
        canvas.fill(PixelRectangle(x: card.x, y: card.y, width: card.width, height: 3), part.accent)
        canvas.text(part.name, x: place.x, y: card.y + 14, part.accent)
        canvas.text(part.rule, x: place.x, y: card.y + 37, Self.dim)
        if let picture = part.state.shown {
            canvas.draw(picture, in: place)
        } else {
            canvas.frame(place, Self.line)
        }
        drawCounters(part, place, canvas)
    }

    private func drawCounters(_ part: PartView, _ place: PixelRectangle, _ canvas: Canvas) {
        let y = place.bottom + 14
        let tally = part.state.tally(at: part.now)
        // Large numbers, where there is room for both.
        let (left, right) = ("\(tally.builds)", spent(tally.work))
        let label = tally.builds == 1 ? "build" : "builds"
        let labels = Canvas.textWidth(label) + Canvas.textWidth("work") + 40
        let isWide = Canvas.textWidth("000", size: 4) + Canvas.textWidth("000 ms", size: 4) + labels <= place.width
        var x = canvas.text(left, x: place.x, y: y, size: 4, Self.bright)
        canvas.text(label, x: x + 8, y: y + 14, Self.dim)
        x = place.right - Canvas.textWidth("work")
        canvas.text("work", x: x, y: y + 14, Self.dim)
        let size = isWide ? 4 : 2
        canvas.text(
            right, x: x - 8 - Canvas.textWidth(right, size: size), y: isWide ? y : y + 14, size: size, Self.bright)
        let row = PixelRectangle(x: place.x, y: y + 45, width: place.width, height: 14)
        drawMeter(part, "wrong \(spent(tally.wrong))", row, canvas)
        canvas.text(note(part), x: place.x, y: y + 72, Self.dim)
    }

    /// How wrong the size is now, as a bar that is full at 20 %, and the wrong time so far.
    private func drawMeter(_ part: PartView, _ number: String, _ row: PixelRectangle, _ canvas: Canvas) {
        let bar = PixelRectangle(
            x: row.x, y: row.y, width: row.width - Canvas.textWidth("wrong 000.00 s") - 12, height: row.height)
        canvas.fill(bar, Self.line)
        let share = min(1, part.state.meter.part / Self.fullPart)
        canvas.fill(
            PixelRectangle(x: bar.x, y: bar.y, width: Int(Double(bar.width) * share), height: bar.height),
            share < 0.5 ? part.accent : Self.alarm)
        canvas.text(number, x: row.right - Canvas.textWidth(number), y: row.y, Self.bright)
    }

    private func note(_ part: PartView) -> String {
        let meter = part.state.meter
        if part.state.isWaiting { return "a size waits" }
        if part.isDragged, let cost = part.state.costs.last?.work, cost > Policy.live.liveLimit ?? cost {
            return "too slow to build live"
        }
        if meter.staleSince != nil { return "shows the last picture" }
        guard let after = meter.caughtUpAfter else { return "shows the right size" }
        return "right after \(decimal(after, of: .milliseconds(1), digits: 0)) ms"
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
