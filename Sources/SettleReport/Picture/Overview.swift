internal import CSettle
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
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
            viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="title summary">
            <title id="title">\(title)</title>
            <desc id="summary">\(XMLText.escaped(summary + ". " + figures))</desc>
            <style>\(Self.style)</style>
            <rect class="ground" width="\(Self.width)" height="\(height)"/>
            <text class="heading" x="20" y="30">\(title)</text>
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
            + counted(interactions, "interaction") + span + lags
    }

    /// The time of a single log.
    private var span: String {
        guard logs.count == 1, logs[0].last > logs[0].first else { return "" }
        return " in " + TimeText.rounded(logs[0].last.duration(since: logs[0].first).wholeNanoseconds)
    }

    /// The lags of the policy's rebuilds.
    private var lags: String {
        var histogram = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
        for lane in logs.flatMap(\.lanes) {
            for rebuild in lane.rebuilds { histogram[Int(settle_lag_bucket(rebuild.lag.wholeNanoseconds))] += 1 }
        }
        guard histogram.contains(where: { $0 > 0 }) else { return "" }
        let (half, most) = (settle_lag_quantile(histogram, 500), settle_lag_quantile(histogram, 950))
        return "; Settle rebuilds half \(Self.lag(half)), 95 % \(Self.lag(most)) of the last change or the end"
    }

    private static func lag(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case 0: "at the time"
        case .max: "more than 18 min"
        default: "within \(TimeText.rounded(nanoseconds))"
        }
    }

    private var figures: String {
        "Rebuilds: " + rows.map { "\($0.name) \(grouped(total($0.count)))" }.joined(separator: ", ")
    }

    // MARK: Legend

    /// The rows of ticks under a scene's curve.
    private var rows: [TickRow] { TickRow.allCases.filter { $0.isAlwaysShown || total($0.count) > 0 } }

    private static let legendTop = 64

    private var legend: String {
        var x = 20
        let items = rows.map { row -> String in
            let label = "\(row.label): \(grouped(total(row.count)))"
            defer { x += 34 + label.count * 7 }
            return "<rect class=\"\(row.name)\" x=\"\(x)\" y=\"\(Self.legendTop)\" width=\"3\" height=\"12\"/>"
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
    }

    /// Without a screen's colour scheme the light one holds.
    private static let style = """
        text{font:12px system-ui,sans-serif;fill:#1f2328}\
        .heading{font-size:16px;font-weight:600}.name{font-weight:600}\
        .small{font-size:10px;fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}\
        .ground{fill:#fff}.plot{fill:#f6f8fa}.grid{stroke:#d1d9e0;fill:none}\
        .interaction{fill:#54aeff;fill-opacity:.28}\
        .width,.height{fill:none;stroke-width:1.3}.width{stroke:#0969da}.height{stroke:#8250df}\
        .change{fill:#818b98}.debounce{fill:#bc4c00}.settle,.lag{fill:#1a7f37}.lag{fill-opacity:.35}\
        .preview{fill:#bf3989}\
        @media (prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}\
        .ground{fill:#0d1117}.plot{fill:#151b23}.grid{stroke:#3d444d}\
        .width{stroke:#58a6ff}.height{stroke:#be8fff}\
        .change{fill:#9198a1}.debounce{fill:#f0883e}.settle,.lag{fill:#3fb950}.preview{fill:#f778ba}}
        """
}

/// A row of ticks under a scene's curve.
enum TickRow: CaseIterable {
    case everyChange, debounce, settle, previews

    /// The class of its elements.
    var name: String {
        switch self {
        case .everyChange: "change"
        case .debounce: "debounce"
        case .settle: "settle"
        case .previews: "preview"
        }
    }

    var label: String {
        switch self {
        case .everyChange: "every change"
        case .debounce: "100 ms debounce"
        case .settle: "Settle"
        case .previews: "previews"
        }
    }

    var isAlwaysShown: Bool { self != .previews }

    func moments(_ lane: SceneLane) -> [Timestamp] {
        switch self {
        case .everyChange: lane.everyChange
        case .debounce: lane.debounce
        case .settle: lane.rebuilds.map(\.at)
        case .previews: lane.previews
        }
    }

    func count(_ lane: SceneLane) -> Int { moments(lane).count }
}
