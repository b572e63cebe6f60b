internal import Settle
internal import SettleLog

/// Draws the lanes of one log, with a time axis below.
struct LogDrawing {
    private let log: LogLanes
    private let lanes: [SceneLane]
    private let rows: [TickRow]
    private let paths: ColumnPaths
    /// The most ticks of a row in a column: one scale for all rows.
    private let most: Int
    private let top: Int
    private var elements: [String] = []
    private var y: Int
    /// The first unit below the drawing.
    private(set) var bottom: Int

    private static let (left, right) = (130, 60)
    private static let columns = Overview.width - left - right
    private static let (curveHeight, rowHeight, titleHeight, gap) = (56, 14, 20, 14)

    /// - Parameters:
    ///   - top: The drawing's first unit.
    ///   - lanesMax: The most scenes to draw: those with the most events.
    init(_ log: LogLanes, top: Int, lanesMax: Int, rows: [TickRow]) {
        self.log = log
        self.top = top
        self.rows = rows
        y = top
        bottom = top
        let byEvents = log.lanes.sorted {
            ($0.events, $1.scene.rawValue) > ($1.events, $0.scene.rawValue)
        }
        lanes = byEvents.prefix(lanesMax).sorted { $0.scene.rawValue < $1.scene.rawValue }
        let paths = ColumnPaths(from: log.first, to: log.last, columns: Self.columns)
        self.paths = paths
        most = lanes.flatMap { lane in rows.map { paths.counts($0.moments(lane)).max() ?? 0 } }.max() ?? 0
    }

    var lanesDrawn: Int { lanes.count }

    mutating func draw() -> String {
        heading()
        let plotTop = y
        for lane in lanes { draw(lane) }
        let plotBottom = y
        axis(from: plotTop, to: plotBottom)
        let hidden = log.lanes.count - lanes.count
        if hidden > 0 {
            let events = log.lanes.reduce(0) { $0 + $1.events } - lanes.reduce(0) { $0 + $1.events }
            line("Not drawn: \(counted(hidden, "more scene")) with \(counted(events, "event"))")
        }
        bottom = y
        return elements.joined(separator: "\n")
    }

    // MARK: Parts

    private mutating func heading() {
        let source = log.log.header.source
        let parts = [log.log.fileName, log.log.header.name, source].filter { !$0.isEmpty }
        y += 16
        text(parts.joined(separator: ", "), suffix: ", " + log.span.text, x: 20, y: y, "name")
        y += 6
        if let fault = log.log.fault { line("Read up to a fault: " + fault.description) }
        if log.log.findingsCount > 0 {
            line(counted(log.log.findingsCount, "fault") + "; settle validate lists them")
        }
        if log.lanes.isEmpty { line("No scene has events.") }
    }

    private mutating func line(_ words: String) {
        y += 14
        text(words, x: 20, y: y, "small")
        y += 4
    }

    private mutating func draw(_ lane: SceneLane) {
        y += Self.titleHeight
        let (from, to) = Self.range(lane)
        let unit = log.log.header.unit.shortened(toBytes: 12)
        let last = lane.sizes.last?.size.map { ", last \($0) \(unit)" } ?? ""
        let name = log.log.scenes[lane.scene]
        text(name.isEmpty ? "\"\"" : name, suffix: last, x: Self.left, y: y - 5, "")
        group(at: y) { drawing in
            drawing.elements.append(
                "<rect class=\"plot\" width=\"\(Self.columns)\" height=\"\(Self.curveHeight)\"/>")
            drawing.path("interaction", drawing.paths.bands(lane.interactions, top: 0, height: Self.curveHeight))
            drawing.path("height", drawing.curve(lane, \.height, from: from, to: to))
            drawing.path("width", drawing.curve(lane, \.width, from: from, to: to))
        }
        if to > from || from > 0 {
            text(TimeText.number(to.rounded()), x: Self.left - 8, y: y + 9, "small end")
            text(TimeText.number(from.rounded()), x: Self.left - 8, y: y + Self.curveHeight, "small end")
        }
        y += Self.curveHeight + 4
        for row in rows {
            let moments = row.moments(lane)
            text(row.label, x: Self.left - 8, y: y + 9, "small end")
            group(at: y) { drawing in
                func bars(_ moments: [Timestamp]) -> String {
                    drawing.paths.bars(
                        moments, most: drawing.most, width: row == .naive ? 1 : 2, height: Self.rowHeight - 3)
                }
                guard row == .settle else { return drawing.path(row.name, bars(moments)) }
                drawing.path("lag", drawing.lags(lane))
                let live = lane.rebuilds.filter(\.isLive).map(\.at)
                drawing.path("live", bars(live))
                drawing.path(row.name, bars(lane.rebuilds.filter { !$0.isLive }.map(\.at)))
            }
            text(grouped(moments.count), x: Self.left + Self.columns + 8, y: y + 9, "small")
            y += Self.rowHeight
        }
        y += Self.gap - 8
    }

    private mutating func axis(from plotTop: Int, to plotBottom: Int) {
        if lanes.isEmpty { return }
        y += 12
        for (at, label) in TimeText.axis(paths.span, labelsMax: 8) {
            let x = Self.left + paths.column(log.first.advanced(by: .nanoseconds(Int64(clamping: at))))
            elements.append(
                "<path class=\"grid\" d=\"M\(x).5 \(plotTop + Self.titleHeight)V\(plotBottom)\" opacity=\".6\"/>")
            text(label, x: x, y: y, "small middle")
        }
        y += 8
    }

    // MARK: Curves

    /// The least and the greatest side of a scene.
    private static func range(_ lane: SceneLane) -> (from: Double, to: Double) {
        let sides = lane.sizes.compactMap(\.size).flatMap { [$0.width, $0.height] }
        guard let least = sides.min(), let greatest = sides.max() else { return (0, 0) }
        return (least, greatest)
    }

    private func curve(_ lane: SceneLane, _ side: KeyPath<Size, Double>, from: Double, to: Double) -> String {
        let (top, height) = (20.0, Double(Self.curveHeight * 10 - 40))
        let values = lane.sizes.map { at, size -> (at: Timestamp, y: Int?) in
            guard let size else { return (at, nil) }
            // No valid side is negative or infinite, so neither is their difference.
            let part = to > from ? (size[keyPath: side] - from) / (to - from) : 0.5
            return (at, Int(top + (1 - part) * height))
        }
        return paths.curve(values, to: log.last)
    }

    private func lags(_ lane: SceneLane) -> String {
        let spans = lane.rebuilds.filter { $0.lag > .zero }.map { (from: $0.at - $0.lag, to: $0.at) }
        return paths.bands(spans, top: 2, height: Self.rowHeight - 7)
    }

    // MARK: Elements

    private mutating func group(at y: Int, _ body: (inout LogDrawing) -> Void) {
        elements.append("<g transform=\"translate(\(Self.left) \(y))\">")
        body(&self)
        elements.append("</g>")
    }

    private mutating func path(_ name: String, _ path: String) {
        if !path.isEmpty { elements.append("<path class=\"\(name)\" d=\"\(path)\"/>") }
    }

    /// - Parameter suffix: Follows the words, which are shortened to fit before it.
    private mutating func text(_ words: String, suffix: String = "", x: Int, y: Int, _ name: String) {
        let attribute = name.isEmpty ? "" : " class=\"\(name)\""
        let room = name.hasSuffix("end") ? x : Overview.width - x - 10
        let size = name.hasPrefix("small") ? 10.0 : 12.0
        let fitted = XMLText.fitted(words, size: size, width: Double(room), suffix: suffix)
        elements.append("<text\(attribute) x=\"\(x)\" y=\"\(y)\">\(XMLText.escaped(fitted))</text>")
    }
}
