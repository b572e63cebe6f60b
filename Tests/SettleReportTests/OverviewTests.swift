import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Pictures of logs.
final class OverviewTests: XCTestCase {
    /// The texts and elements of an image; `nil` if it is no XML.
    private final class Image: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var elements: [(name: String, attributes: [String: String])] = []
        private var text = ""

        init?(_ svg: String) {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            guard parser.parse(), parser.parserError == nil else { return nil }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
            text = ""
        }
        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "text" || name == "title" { texts.append(text) }
        }

        func count(_ style: String) -> Int { elements.count { $0.attributes["class"] == style } }
    }

    private func image(_ logs: [ReportLog], policy: Policy = .default) throws -> Image {
        try XCTUnwrap(Image(try Overview(Report(logs, policy: policy)).svg))
    }

    /// A log whose first build is reported, so that the drag after it is followed live.
    private let followed = log(
        "{\"t_ns\":0,\"scene\":\"a\",\"width\":500,\"height\":400}",
        "{\"t_ns\":5000000,\"scene\":\"a\",\"kind\":\"finished\",\"generation\":1,\"cost_ns\":5000000}",
        "{\"t_ns\":100000000,\"scene\":\"a\",\"width\":510,\"height\":400,\"resizing\":true}",
        "{\"t_ns\":120000000,\"scene\":\"a\",\"width\":520,\"height\":400,\"resizing\":true}",
        "{\"t_ns\":140000000,\"scene\":\"a\",\"resizing\":false}")

    func testLiveRebuildsHaveAnEntryInTheLegend() throws {
        let report = try ReportLog(reader(followed))
        let image = try image([report], policy: .live)
        XCTAssert(image.texts.contains("Settle: 3") && image.texts.contains("of them live: 1"), "\(image.texts)")
        // The legend's, and the tick.
        XCTAssertEqual(image.count("live"), 2)
        let plain = try self.image([report])
        XCTAssertFalse(plain.texts.contains { $0.contains("live") })
        XCTAssertEqual(plain.count("live"), 0)
    }

    func testExportsHaveTheReasonLive() throws {
        for (name, text) in [("csv", ",live,2,"), ("trace", "\"reason\":\"live\"")] {
            let batch = EventBatch()
            let source = try reader(followed)
            XCTAssertTrue(try source.read(into: batch))
            let events = (0..<batch.count).map { batch[$0] }
            let bytes = try exported(name, events, source.scenes, policy: .live)
            XCTAssertTrue(String(decoding: bytes, as: UTF8.self).contains(text), name)
        }
    }

    func testTheLegendHasTheCountsOfAReplay() throws {
        for name in Recordings.names {
            let policy = Policy(pauseDelay: .milliseconds(100))
            let image = try image([recording(name)], policy: policy)
            let summary = try replayed(LogReader(path: Recordings.log(name)), policy: policy).summary
            for expected in [
                "Every size — at each change: \(grouped(summary.everyChange ?? -1))",
                "Debounce — fixed, 100 ms: \(grouped(summary.fixedDebounce ?? -1))",
                "Settle: \(grouped(summary.rebuilds))",
            ] { XCTAssert(image.texts.contains(expected), "\(name): \(expected): \(image.texts)") }
            XCTAssertEqual(image.texts.contains("Previews: \(grouped(summary.previews))"), summary.previews > 0, name)
            let start = "\(counted(summary.events, "event")) of \(counted(summary.scenes, "scene")),"
            XCTAssert(image.texts.contains { $0.hasPrefix(start) }, "\(name): \(image.texts)")
        }
    }

    func testNamesAreEscaped() throws {
        let log = hostileReport()
        let svg = try Overview(Report([log], policy: .default)).svg
        XCTAssertFalse(svg.contains("<script"))
        XCTAssertFalse(svg.contains("\u{1B}"))
        let image = try XCTUnwrap(Image(svg))
        XCTAssertEqual(image.elements.count { $0.name == "script" || $0.name == "b" || $0.name == "i" }, 0)
        // The first twelve have a lane.
        for name in hostileNames.prefix(12) where !name.isEmpty {
            XCTAssert(
                image.texts.contains {
                    $0.hasPrefix(name.escaped.replacing("\u{FFFE}\u{FFFF}", with: "\\ufffe\\uffff"))
                }, name.debugDescription)
        }
        XCTAssert(image.texts.contains("Not drawn: 3 more scenes with 3 events"), "\(image.texts)")
        XCTAssertNil(Image(svg.replacing("&lt;", with: "<")), "the check accepts markup")
    }

    func testEqualReportsAreDrawnAlike() throws {
        let report = Report([try recording("w04_mutter"), try recording("r02_openbox_1000hz")], policy: .default)
        XCTAssertEqual(try Overview(report).svg, try Overview(report).svg)
    }

    func testALongLogIsASmallPicture() throws {
        var log = hostileReport()
        var random = SplitMix64(seed: 7)
        log.scenes = SceneNames()
        log.events = (0..<100_000).map { number in
            .geometry(
                log.scenes.number(of: "scene \(random.below(40))"),
                at: Timestamp(nanoseconds: UInt64(number) * 700_000),
                size: Size(width: Double(1 + random.below(2_000)), height: Double(1 + random.below(2_000))))
        }
        let svg = try Overview(Report([log], policy: .default)).svg
        XCTAssertLessThan(svg.utf8.count, 400_000)
        XCTAssertEqual(try XCTUnwrap(Image(svg)).count("width"), 13)
        let many = try image(Array(repeating: log, count: 4))
        XCTAssertEqual(many.count("width"), 1 + Overview.lanesMax.ofAll)
    }

    func testNoEventsAndFaultsAreWritten() throws {
        let unreadable = ReportLog(name: "x", unreadable: LogError(.malformed, file: "x", "is no log"))
        let texts = try image([unreadable]).texts
        XCTAssert(texts.contains("Read up to a fault: x: is no log"), "\(texts)")
        XCTAssert(texts.contains("No scene has events."), "\(texts)")
        let odd = try ReportLog(
            reader(
                log(
                    #"{"t_ns":9223372036854775807,"scene":"a","width":1e308,"height":1e-308}"#,
                    #"{"t_ns":0,"scene":"a","width":1.5e308,"height":5e-324}"#,
                    #"{"t_ns":1,"scene":"a","kind":"disconnect"}"#,
                    #"{"t_ns":1,"scene":"a","width":-1,"height":1}"#)))
        _ = try image([odd])
    }

    /// The whole range of times and sides, in one log and in each.
    func testExtremeTimesAndSidesAreDrawn() throws {
        let sides = [0, 5e-324, 1e-308, 1, 1.7976931348623157e308]
        let times: [UInt64] = [0, 1, Timestamp.latest.nanoseconds - 1, Timestamp.latest.nanoseconds]
        let scenes = SceneNames()
        let name = scenes.number(of: "a")
        for times in [[times[0]], [times[3]], [times[0], times[3]], times] {
            for first in sides {
                for second in sides {
                    var log = hostileReport()
                    log.scenes = scenes
                    log.events = times.enumerated().map { number, at in
                        let size = Size(width: number % 2 == 0 ? first : second, height: second)
                        return .geometry(name, at: Timestamp(nanoseconds: at), size: size)
                    }
                    // Every curve is within its plot, and every tick.
                    let image = try image([log])
                    for path in image.elements.filter({ $0.name == "path" }) {
                        let data = path.attributes["d"] ?? ""
                        XCTAssertNil(data.firstRange(of: try Regex("nan|inf|e|[0-9]{5}")), data)
                    }
                }
            }
        }
    }

    private func sizes(_ events: [(milliseconds: UInt64, width: Double)], name: String = "a") -> ReportLog {
        var log = hostileReport()
        log.name = "x.jsonl"
        log.header = LogHeader()
        log.scenes = SceneNames()
        log.events = events.map { at, width in
            .geometry(
                log.scenes.number(of: name), at: Timestamp(nanoseconds: at * 1_000_000),
                size: Size(width: width, height: 1))
        }
        return log
    }

    /// The time is a replay's, without the last deadline, and a lag is exact.
    func testTheHeadingHasTheTimeOfAReplayAndExactLags() throws {
        let policy = Policy.fixed(.milliseconds(200))
        let few = try image([sizes([(0, 1), (1_000, 2), (2_000, 3)])], policy: policy).texts
        XCTAssert(
            few.contains(
                "3 events of 1 scene, 0 interactions in 2 s; Settle rebuilds 95 % within 200 ms of the last change or the end"
            ), "\(few)")
        XCTAssert(few.contains { $0.hasSuffix(", 2 s") }, "\(few)")
        // An earlier event is later in the log.
        let long = try image([sizes([(500, 1), (0, 2), (999_999, 3)])]).texts
        XCTAssert(long.contains { $0.contains(" in 16 min 39 s;") }, "\(long)")
    }

    func testLongTextsAreShortenedToFit() throws {
        for name in [String(repeating: "W", count: 1_000), String(repeating: "\u{1F600}", count: 250), "\u{1B}"] {
            var log = sizes([(0, 1), (999_999, 2)], name: name)
            log.name = name
            log.header.name = name
            // The first text is the title, which viewers show beside the picture. No character of these is
            // narrower than 12 units.
            for text in try image([log]).texts.dropFirst()
            where text.contains("WW") || text.contains("\u{1F600}\u{1F600}") {
                XCTAssertLessThan(text.unicodeScalars.count, 85, text)
                XCTAssert(text.contains("…"), text)
            }
            XCTAssert(try image([log]).texts.contains { $0.hasSuffix(", 16 min 39 s") })
        }
        XCTAssertEqual(XMLText.fitted("short", size: 12, width: 100, suffix: ", 2 s"), "short, 2 s")
        XCTAssertEqual(XMLText.fitted("WWWW", size: 10, width: 35), "WW…")
    }

    func testScenesThatAreNotDrawnAreCounted() throws {
        let most = Overview.lanesMax.ofLog
        var log = sizes([])
        for scene in 0..<most + 2 {
            let name = log.scenes.number(of: "\(scene)")
            log.events += (0..<most + 3 - scene).map { .geometry(name, at: Timestamp(nanoseconds: UInt64($0))) }
        }
        XCTAssert(try image([log]).texts.contains("Not drawn: 2 more scenes with 5 events"))
    }

    /// The picture's colours are the page's, by name.
    func testTheColoursAreThoseOfThePage() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Sources/SettleReport/Page/page.css"),
            encoding: .utf8)
        let svg = try Overview(Report([sizes([(0, 1)])], policy: .default)).svg
        for name in ["width", "height", "naive", "debounce", "settle", "preview"] {
            let colors = page.matches(of: try Regex<(Substring, Substring)>("--\(name): (#[0-9a-f]{6});")).map(
                \.output.1)
            let drawn = svg.matches(
                of: try Regex<(Substring, Substring)>("\\.\(name)(?:,\\.lag)?\\{(?:fill|stroke):(#[0-9a-f]{6})")
            ).map(\.output.1)
            XCTAssertEqual(drawn, colors, name)
            XCTAssertEqual(drawn.count, 2, name)
        }
    }

    // MARK: Columns

    private func paths(_ columns: Int = 10) -> ColumnPaths {
        ColumnPaths(from: Timestamp(nanoseconds: 100), to: Timestamp(nanoseconds: 200), columns: columns)
    }

    private func times(_ nanoseconds: Int...) -> [Timestamp] { nanoseconds.map { Timestamp(nanoseconds: UInt64($0)) } }

    func testBarsOfAColumnHaveAStepForEachDoubling() {
        func bars(_ times: [Timestamp], most: Int, width: Int = 1) -> String {
            paths().bars(times, most: most, width: width, height: 8)
        }
        XCTAssertEqual(bars(times(100, 101, 105), most: 3), "M0 8v-8h1V8z")
        XCTAssertEqual(bars(times(100, 112), most: 1), "M0 8v-8h2V8z")
        // 1, 2 and 5 of at most 15: two of the four doublings for 2, and at least four tenths of the height.
        XCTAssertEqual(
            bars(times(100, 150, 151, 200, 200, 200, 200, 200), most: 15), "M0 8v-4h1V8zM5 8v-4h1V8zM9 8v-6h1V8z")
        XCTAssertEqual(bars(times(0, 112, 113, 1_000), most: 3, width: 2), "M0 8v-4h1v-4h2V8zM9 8v-4h2V8z")
        XCTAssertEqual(bars([], most: 0), "")
    }

    func testACurveHasTheLeastAndGreatestValueOfEachColumn() {
        func curve(_ values: (Int, Int?)...) -> String {
            paths().curve(
                values.map { (Timestamp(nanoseconds: UInt64($0)), $1) }, to: Timestamp(nanoseconds: 200))
        }
        XCTAssertEqual(curve((100, 50)), "M0 5h9")
        XCTAssertEqual(curve((100, 50), (120, 75)), "M0 5h2v2.5h7")
        XCTAssertEqual(curve((100, 50), (120, 90), (121, 10), (122, 60)), "M0 5h2v4v-8v5h7")
        XCTAssertEqual(curve((100, 50), (150, nil)), "M0 5h5")
        XCTAssertEqual(curve((100, 50), (150, nil), (151, 60), (170, 61)), "M0 5h5M5 6h2v0.1h2")
    }

    func testAnAxisHasRoundTimes() {
        func labels(_ span: UInt64) -> [String] { TimeText.axis(span, labelsMax: 8).map(\.label) }
        XCTAssertEqual(labels(332_000_000_000), ["0 s", "50 s", "100 s", "150 s", "200 s", "250 s", "300 s"])
        XCTAssertEqual(labels(9_000), ["0 µs", "2 µs", "4 µs", "6 µs", "8 µs"])
        XCTAssertEqual(labels(1), ["0 ns", "1 ns"])
        for exponent in 0..<63 {
            let count = labels(1 << UInt64(exponent)).count
            XCTAssert((2...9).contains(count), "2^\(exponent): \(count)")
        }
    }

    func testBandsThatTouchAreOne() {
        let paths = ColumnPaths(from: .zero, to: Timestamp(nanoseconds: 100), columns: 10)
        func bands(_ spans: [(UInt64, UInt64)]) -> String {
            let spans = spans.map { (from: Timestamp(nanoseconds: $0.0), to: Timestamp(nanoseconds: $0.1)) }
            return paths.bands(spans, top: 1, height: 7)
        }
        XCTAssertEqual(bands([]), "")
        XCTAssertEqual(bands([(0, 5), (10, 25), (12, 14), (40, 40)]), "M0 1h3v7h-3zM4 1h1v7h-1z")
    }

    /// Each part of a picture of scenes that have one size, none at all, and an interaction that is open at the end.
    func testAPictureOfFewEvents() throws {
        let text = log(
            "{\"t_ns\":0,\"scene\":\"one\",\"width\":50,\"height\":50}",
            "{\"t_ns\":1000000,\"scene\":\"none\",\"kind\":\"disconnect\"}",
            "{\"t_ns\":2000000,\"scene\":\"two\",\"width\":60,\"height\":40,\"resizing\":true}",
            "{\"t_ns\":8000000,\"kind\":\"pointer\",\"button\":1,\"pressed\":true}")
        let few = try image([ReportLog(reader(text), window: ReplayWindow(scenes: ["one", "two"]))])
        let summary =
            "3 events of 2 scenes, 1 interaction in 8 ms; Settle rebuilds 95 % at the time of the last change or the end"
        XCTAssert(few.texts.contains(summary), "\(few.texts)")
        XCTAssertEqual(
            few.texts.filter { ["50", "60", "40"].contains($0) }, ["50", "50", "60", "40"], "the bounds of each curve")
        XCTAssertEqual(few.count("interaction"), 2, "the legend's, and the open one")
    }
}
