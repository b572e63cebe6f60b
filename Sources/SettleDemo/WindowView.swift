import CDemoWindow
import Settle

/// Where everything stands in a window of a size.
struct WindowLayout {
    static let minimum = PixelSize(width: 760, height: 480)
    static let margin = 14
    static let titleHeight = DEMO_WINDOW_TITLE_PX
    private static let footerHeight = 40
    private static let headHeight = 64
    private static let countersHeight = 116

    /// The whole of each half, left and right.
    let cards: [PixelRectangle]
    /// The place of each half's picture; both have one size.
    let pictures: [PixelRectangle]
    /// The upper edge of the line below the halves.
    let footer: Int

    init(_ window: PixelSize) {
        let width = max(48, (window.width - 3 * Self.margin) / 2)
        let height = max(
            Self.headHeight + Self.countersHeight + 24, window.height - Self.titleHeight - Self.footerHeight)
        footer = Self.titleHeight + height
        cards = [0, 1].map { side in
            PixelRectangle(
                x: Self.margin + side * (width + Self.margin), y: Self.titleHeight, width: width, height: height)
        }
        pictures = cards.map { card in
            PixelRectangle(
                x: card.x + 12, y: card.y + Self.headHeight, width: card.width - 24,
                height: card.height - Self.headHeight - Self.countersHeight)
        }
    }

    /// The size for which both halves build their picture.
    var pictureSize: PixelSize { pictures[0].size }
}

/// What one half states about itself.
struct HalfView {
    let name: String
    let rule: String
    let accent: UInt32
    let state: Half.State
    let stale: Duration
    let caughtUpAfter: Duration?
    /// Whether it waits for the end of a drag.
    let isHeldBack: Bool
}

/// Draws the window. It changes nothing.
struct WindowView {
    /// The time at which the lag meter is full.
    private static let fullLag = Duration.seconds(2)
    private static let background: UInt32 = 0x12161C
    private static let card: UInt32 = 0x1A2029
    private static let line: UInt32 = 0x2C3541
    private static let bright: UInt32 = 0xE8EDF2
    private static let dim: UInt32 = 0x94A2B1
    private static let alarm: UInt32 = 0xE2705B

    let title: String
    let system: String
    let footer: String
    let counter: String
    let halves: [HalfView]
    let drawsFrame: Bool

    func draw(on canvas: Canvas) {
        let layout = WindowLayout(canvas.size)
        canvas.fill(canvas.bounds, Self.background)
        drawTitle(canvas)
        for (index, half) in halves.enumerated() {
            draw(half, layout.cards[index], layout.pictures[index], canvas)
        }
        let margin = WindowLayout.margin
        canvas.text(footer, x: margin + 2, y: layout.footer + 13, Self.dim)
        canvas.text(
            counter, x: canvas.size.width - margin - 2 - Canvas.textWidth(counter), y: layout.footer + 13, Self.dim)
        if drawsFrame { canvas.frame(canvas.bounds, Self.line) }
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

    private func draw(_ half: HalfView, _ card: PixelRectangle, _ place: PixelRectangle, _ canvas: Canvas) {
        canvas.fill(card, Self.card)
        canvas.frame(card, Self.line)
        canvas.fill(PixelRectangle(x: card.x, y: card.y, width: card.width, height: 3), half.accent)
        canvas.text(half.name, x: place.x, y: card.y + 14, half.accent)
        canvas.text(half.rule, x: place.x, y: card.y + 37, Self.dim)
        if let picture = half.state.shown {
            canvas.draw(picture, in: place)
        } else {
            canvas.frame(place, Self.line)
        }
        drawCounters(half, place, canvas)
    }

    private func drawCounters(_ half: HalfView, _ place: PixelRectangle, _ canvas: Canvas) {
        let y = place.bottom + 14
        let label = half.state.rebuilds == 1 ? "rebuild" : "rebuilds"
        var x = canvas.text("\(half.state.rebuilds)", x: place.x, y: y, size: 4, Self.bright)
        canvas.text(label, x: x + 8, y: y + 14, Self.dim)
        let work = "\(decimal(half.state.work, of: .seconds(1), digits: half.state.work < .seconds(100) ? 2 : 0)) s"
        x = place.right - Canvas.textWidth("work")
        canvas.text("work", x: x, y: y + 14, Self.dim)
        canvas.text(work, x: x - 8 - Canvas.textWidth(work, size: 4), y: y, size: 4, Self.bright)
        drawLag(half, PixelRectangle(x: place.x, y: y + 45, width: place.width, height: 14), canvas)
        canvas.text(note(half), x: place.x, y: y + 72, Self.dim)
    }

    /// The lag meter: a bar that is full at two seconds, and the number.
    private func drawLag(_ half: HalfView, _ row: PixelRectangle, _ canvas: Canvas) {
        let number = "stale \(decimal(half.stale, of: .milliseconds(1), digits: 0)) ms"
        let numberWidth = Canvas.textWidth("stale 00000 ms")
        let bar = PixelRectangle(x: row.x, y: row.y, width: row.width - numberWidth - 12, height: row.height)
        canvas.fill(bar, Self.line)
        let share = min(1, half.stale / Self.fullLag)
        let color = share < 0.5 ? half.accent : Self.alarm
        canvas.fill(
            PixelRectangle(x: bar.x, y: bar.y, width: Int(Double(bar.width) * share), height: bar.height), color)
        canvas.text(number, x: row.right - Canvas.textWidth(number), y: row.y, share < 0.5 ? Self.bright : Self.alarm)
    }

    private func note(_ half: HalfView) -> String {
        if half.state.waiting > 0 {
            return half.state.waiting == 1 ? "1 size waits" : "\(half.state.waiting) sizes wait"
        }
        if half.isHeldBack { return "waits for the end of the drag" }
        if half.stale > .zero { return "shows the last picture, stretched" }
        guard let after = half.caughtUpAfter else { return "shows the right size" }
        return "caught up after \(decimal(after, of: .milliseconds(1), digits: 0)) ms"
    }
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
