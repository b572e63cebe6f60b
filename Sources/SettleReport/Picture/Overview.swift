internal import Settle
internal import SettleLog

/// A report as an SVG image: for each scene a lane with its sizes, its interactions and the
/// rebuilds of the policy and of the two baselines. Equal reports are drawn alike, byte for byte.
struct Overview {
    private let logs: [LogLanes]
    private let policy: Policy

    /// - Throws: `.malformed` as `LogSteps`.
    init(_ report: Report) throws(LogError) {
        var logs: [LogLanes] = []
        for log in report.logs { logs.append(try LogLanes(log, policy: report.policy)) }
        self.logs = logs
        policy = report.policy
    }

    /// The most scenes that are drawn of each log, and the most of all logs.
    static let lanesMax = (ofLog: 12, ofAll: 24)
    static let width = 1000

    var svg: String {
        var elements: [String] = []
        var (top, lanesLeft) = (Self.legendTop + 44, Self.lanesMax.ofAll)
        for log in logs {
            var drawing = LogDrawing(log, top: top, lanesMax: min(lanesLeft, Self.lanesMax.ofLog), rows: rows)
            lanesLeft -= drawing.lanesDrawn
            elements.append(drawing.draw())
            top = drawing.bottom + 12
        }
        let height = top
        let title = XMLText.escaped("Settle: " + names)
        let heading = XMLText.escaped(XMLText.fitted("Settle: " + names, size: 16, width: Double(Self.width - 30)))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
            viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="title summary">
            <title id="title">\(title)</title>
            <desc id="summary">\(XMLText.escaped(summary + ". " + figures))</desc>
            <style>\(Self.style)</style>
            <rect class="ground" width="\(Self.width)" height="\(height)"/>
            <text class="heading" x="20" y="30">\(heading)</text>
            <text x="20" y="50">\(XMLText.escaped(summary))</text>
            \(legend)
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Text

    private var names: String {
        let some = logs.prefix(3).map(\.log.fileName).joined(separator: ", ")
        return (some + (logs.count > 3 ? ", and \(grouped(logs.count - 3)) more" : "")).shortened(toBytes: 90)
    }

    private func total(_ count: (SceneLane) -> Int) -> Int {
        logs.reduce(0) { $0 + $1.lanes.reduce(0) { $0 + count($1) } }
    }

    private var summary: String {
        let events = logs.reduce(0) { $0 + $1.log.events.count }
        let interactions = total(\.interactions.count)
        return "\(counted(events, "event")) of \(counted(total { _ in 1 }, "scene")), "
            + counted(interactions, "interaction") + span + sampled + lags
    }

    private var sampled: String { logs.contains(where: \.log.isSample) ? ", a sample" : "" }

    /// The time of a single log.
    private var span: String {
        guard logs.count == 1, logs[0].span > .zero else { return "" }
        return " in " + logs[0].span.text
    }

    /// The lags of the policy's rebuilds.
    private var lags: String {
        let lags = logs.flatMap(\.lanes).flatMap(\.rebuilds).map(\.lag).sorted()
        guard !lags.isEmpty else { return "" }
        // The least lag that so many percent of the rebuilds do not exceed.
        let within = [50, 95].map { percent in Self.lag(lags[(lags.count * percent + 99) / 100 - 1]) }
        let half = within[0] == within[1] ? "" : "half \(within[0]), "
        return "; Settle rebuilds \(half)95 % \(within[1]) of the last change or the end"
    }

    private static func lag(_ lag: Duration) -> String { lag > .zero ? "within \(lag.text)" : "at the time" }

    private var figures: String {
        "Rebuilds: " + rows.map { "\($0.label) \(grouped(total($0.count)))" }.joined(separator: ", ")
    }

    // MARK: Legend

    /// The rows of ticks under a scene's curve.
    private var rows: [TickRow] { TickRow.allCases.filter { $0.isAlwaysShown || total($0.count) > 0 } }

    private static let legendTop = 64

    private var legend: String {
        var x = 20
        let live = total { $0.rebuilds.count(where: \.isLive) }
        let entries = rows.map { (name: $0.name, title: $0.title, count: total($0.count)) }
        let items = (entries + (live > 0 ? [("live", "of them live", live)] : [])).map { entry -> String in
            let label = "\(entry.title): \(grouped(entry.count))"
            defer { x += 34 + label.count * 7 }
            return "<rect class=\"\(entry.name)\" x=\"\(x)\" y=\"\(Self.legendTop)\" width=\"3\" height=\"12\"/>"
                + "<text x=\"\(x + 9)\" y=\"\(Self.legendTop + 10)\">\(label)</text>"
        }
        let y = Self.legendTop + 26
        return items.joined(separator: "\n") + "\n"
            + "<path class=\"width\" d=\"M20 \(y)h22\"/><text x=\"48\" y=\"\(y + 4)\">width</text>"
            + "<path class=\"height\" d=\"M100 \(y)h22\"/><text x=\"128\" y=\"\(y + 4)\">height</text>"
            + "<rect class=\"interaction\" x=\"184\" y=\"\(y - 6)\" width=\"22\" height=\"12\"/>"
            + "<text x=\"212\" y=\"\(y + 4)\">interaction</text>"
            + "<rect class=\"lag\" x=\"294\" y=\"\(y - 4)\" width=\"22\" height=\"8\"/>"
            + "<text x=\"322\" y=\"\(y + 4)\">from the last change or the interaction's end to the rebuild</text>"
            + "<text class=\"small\" x=\"690\" y=\"\(y + 4)\">bars: a step higher for each doubling</text>"
    }

    /// The colours of the page (`page.css`). Without a screen's colour scheme the light ones hold.
    private static let style = """
        text{font:12px system-ui,sans-serif;fill:#17202b}\
        .heading{font-size:16px;font-weight:600}.name{font-weight:600}\
        .small{font-size:10px;fill:#566273}.end{text-anchor:end}.middle{text-anchor:middle}\
        .ground{fill:#fff}.plot{fill:#f3f5f8}.grid{stroke:#dde3ea;fill:none}\
        .interaction{fill:#1f55d9;fill-opacity:.12}\
        .width,.height{fill:none;stroke-width:1.3}.width{stroke:#0b6e86}.height{stroke:#a8326b}\
        .naive{fill:#657080}.debounce{fill:#b45f00}.settle,.lag{fill:#1f55d9}.lag{fill-opacity:.35}\
        .preview{fill:#087f70}.live{fill:#12927f}\
        @media (prefers-color-scheme:dark){text{fill:#e8edf4}.small{fill:#9eabbb}\
        .ground{fill:#181e27}.plot{fill:#10151c}.grid{stroke:#2d3744}\
        .interaction{fill:#82a8ff;fill-opacity:.15}.width{stroke:#4fc3dc}.height{stroke:#f27fb2}\
        .naive{fill:#8593a3}.debounce{fill:#f0a441}.settle,.lag{fill:#82a8ff}.preview{fill:#3fc9b3}.live{fill:#3fc9b3}}
        """
}

/// A row of ticks under a scene's curve.
enum TickRow: CaseIterable {
    case naive, debounce, settle, previews

    /// The class of its elements.
    var name: String {
        switch self {
        case .naive: "naive"
        case .debounce: "debounce"
        case .settle: "settle"
        case .previews: "preview"
        }
    }

    var label: String {
        switch self {
        case .naive: "Every size"
        case .debounce: "Debounce"
        case .settle: "Settle"
        case .previews: "Previews"
        }
    }

    /// The label with what it means.
    var title: String {
        switch self {
        case .naive: "Every size — at each change"
        case .debounce: "Debounce — fixed, 100 ms"
        case .settle, .previews: label
        }
    }

    var isAlwaysShown: Bool { self != .previews }

    func moments(_ lane: SceneLane) -> [Timestamp] {
        switch self {
        case .naive: lane.everyChange
        case .debounce: lane.debounce
        case .settle: lane.rebuilds.map(\.at)
        case .previews: lane.previews
        }
    }

    func count(_ lane: SceneLane) -> Int { moments(lane).count }
}
