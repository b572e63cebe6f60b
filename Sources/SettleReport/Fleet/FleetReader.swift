internal import Settle
package import SettleLog

extension FleetExport {
    /// Reads an export to its end.
    ///
    /// - Throws: `.malformed` for another content, and `.newerVersion` for a newer one: the problem names
    ///   the key; `.io` when reading fails.
    package init(_ input: ByteInput) throws(LogError) {
        let text = try input.peek(Self.bytesMax + 1)
        guard text.count <= Self.bytesMax else {
            throw LogError(
                .malformed, file: input.name,
                "the fleet's export is longer than \(Self.bytesMax >> 20) MB; give settle-fleet fewer cohorts or policies"
            )
        }
        var reader = FleetReader()
        do throws(JSONFault) {
            var scanner = JSONScanner(FleetReader.withoutMark(text))
            try reader.read(&scanner)
            guard scanner.isAtEnd else { throw JSONFault(problem: "something follows the fleet's object") }
            self = try reader.checked(name: input.name)
        } catch {
            let isNewer = (reader.version ?? 0) > Self.version
            throw LogError(isNewer ? .newerVersion : .malformed, file: input.name, error.problem)
        }
    }
}

/// The members of an export while they are read.
struct FleetReader {
    private(set) var version: Int?
    private var export = FleetExport(
        name: "", generator: "", columns: [], policies: [], today: 0, sessions: 0, damaged: 0, cohorts: [], total: nil)

    /// Counts are exact in every program up to here.
    private static let most = 0x1p53

    /// UTF-8's byte order mark.
    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Text without a byte order mark.
    static func withoutMark(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        text.starts(with: mark) ? UnsafeRawBufferPointer(rebasing: text[mark.count...]) : text
    }

    mutating func read(_ scanner: inout JSONScanner) throws(JSONFault) {
        let required = [
            "settle", "version", "generator", "columns", "policies", "today", "sessions", "damaged", "cohorts",
        ]
        try Self.object(&scanner, "", required, optional: "total") { scanner, key throws(JSONFault) in
            try member(key, &scanner)
        }
    }

    private mutating func member(_ key: String, _ scanner: inout JSONScanner) throws(JSONFault) {
        switch key {
        case "settle":
            let kind = try Self.text(&scanner, key)
            guard kind == "fleet" else {
                throw JSONFault(problem: "settle is '\(kind)'; a fleet's export has \"settle\":\"fleet\"")
            }
        case "version":
            let number = try Self.count(&scanner, key)
            version = number
            guard number == FleetExport.version else {
                throw JSONFault(
                    problem: "the fleet's export has version \(number); this program reads version"
                        + " \(FleetExport.version)\(number > FleetExport.version ? ", so use a newer one" : "")")
            }
        case "generator": export.generator = try Self.text(&scanner, key)
        case "columns":
            try Self.list(&scanner, key) { scanner, place throws(JSONFault) in
                export.columns.append(try Self.text(&scanner, place))
            }
        case "policies":
            try Self.list(&scanner, key) { scanner, place throws(JSONFault) in
                export.policies.append(try Self.named(place) { () throws(JSONFault) in try scanner.policy() })
            }
        case "today": export.today = try Self.count(&scanner, key)
        case "sessions": export.sessions = try Self.count(&scanner, key)
        case "damaged": export.damaged = try Self.count(&scanner, key)
        case "cohorts":
            try Self.list(&scanner, key) { scanner, place throws(JSONFault) in
                export.cohorts.append(try Self.cohort(&scanner, place + ".", hasValues: true))
            }
        default: export.total = try Self.cohort(&scanner, "total.", hasValues: false)
        }
    }

    private static func cohort(
        _ scanner: inout JSONScanner, _ place: String, hasValues: Bool
    ) throws(JSONFault) -> FleetExport.Cohort {
        let nothing = FleetExport.Baseline(rebuilds: 0, wasted: 0)
        var cohort = FleetExport.Cohort(
            values: [], sessions: 0, events: 0, damaged: 0, everyChange: nothing, debounce: nothing,
            figures: FleetExport.figureNames.map { _ in [] }, front: [], knee: nil, unexercised: [])
        let required = ["sessions", "events", "damaged", "everyChange", "debounce", "front", "knee"]
        let keys = (hasValues ? ["cohort"] : []) + required + FleetExport.figureNames
        try object(&scanner, place, keys, optional: "unexercised") { scanner, key throws(JSONFault) in
            let name = place + key
            switch key {
            case "cohort":
                try list(&scanner, name) { scanner, place throws(JSONFault) in
                    let value: String? = try isNull(&scanner) ? nil : text(&scanner, place)
                    cohort.values.append(value)
                }
            case "sessions": cohort.sessions = try count(&scanner, name)
            case "events": cohort.events = try count(&scanner, name)
            case "damaged": cohort.damaged = try count(&scanner, name)
            case "everyChange": cohort.everyChange = try baseline(&scanner, name + ".")
            case "debounce": cohort.debounce = try baseline(&scanner, name + ".")
            case "front": cohort.front = try counts(&scanner, name)
            case "unexercised":
                try list(&scanner, name) { scanner, place throws(JSONFault) in
                    let duration = try text(&scanner, place)
                    guard Policy.names.contains(duration) else {
                        throw JSONFault(problem: "\(place) is '\(duration)', which is no duration of a policy")
                    }
                    cohort.unexercised.append(duration)
                }
            case "knee": cohort.knee = try isNull(&scanner) ? nil : count(&scanner, name)
            default:
                // `object` refuses other keys.
                let figure = FleetExport.figureNames.firstIndex(of: key)!
                cohort.figures[figure] = try counts(
                    &scanner, name, from: key.hasSuffix("_ns") ? FleetExport.openLag : 0)
            }
        }
        return cohort
    }

    private static func baseline(
        _ scanner: inout JSONScanner, _ place: String
    ) throws(JSONFault) -> FleetExport.Baseline {
        var baseline = FleetExport.Baseline(rebuilds: 0, wasted: 0)
        try object(&scanner, place, ["rebuilds", "wasted"]) { scanner, key throws(JSONFault) in
            let number = try count(&scanner, place + key)
            if key == "rebuilds" { baseline.rebuilds = number } else { baseline.wasted = number }
        }
        return baseline
    }

    // MARK: What must agree

    /// The export, if its parts agree.
    func checked(name: String) throws(JSONFault) -> FleetExport {
        var export = export
        export.name = name
        guard !export.policies.isEmpty else { throw JSONFault(problem: "policies has no policy") }
        guard export.today < export.policies.count else {
            throw JSONFault(problem: "today is \(export.today); there are \(export.policies.count) policies, from 0 on")
        }
        guard export.total != nil || export.cohorts.count < 2 else { throw JSONFault(problem: "total is missing") }
        for (number, cohort) in export.cohorts.enumerated() {
            guard cohort.values.count == export.columns.count else {
                throw JSONFault(
                    problem: "cohorts[\(number)].cohort has \(counted(cohort.values.count, "value"));"
                        + " columns has \(export.columns.count)")
            }
            try check(cohort, "cohorts[\(number)]")
        }
        if let total = export.total { try check(total, "total") }
        return export
    }

    private func check(_ cohort: FleetExport.Cohort, _ place: String) throws(JSONFault) {
        let policies = export.policies.count
        for (key, figures) in zip(FleetExport.figureNames, cohort.figures) where figures.count != policies {
            throw JSONFault(
                problem: "\(place).\(key) has \(counted(figures.count, "number")); there are"
                    + " \(counted(policies, "policy", "policies"))")
        }
        let (rebuilds, lags) = (cohort.figures[0], cohort.figures[4].map { UInt64(bitPattern: Int64($0)) })
        guard !cohort.front.isEmpty else { throw JSONFault(problem: "\(place).front has no policy") }
        for (at, index) in cohort.front.enumerated() {
            guard index < policies else {
                throw JSONFault(problem: "\(place).front[\(at)] is \(index); there are \(policies) policies, from 0 on")
            }
            guard at > 0 else { continue }
            let before = cohort.front[at - 1]
            guard rebuilds[index] > rebuilds[before], lags[index] < lags[before] else {
                throw JSONFault(
                    problem: "\(place).front[\(at)] is no better than the one before it: a front has rising rebuilds"
                        + " and falling p95 lags")
            }
        }
        if let knee = cohort.knee, !cohort.front.contains(knee) {
            throw JSONFault(problem: "\(place).knee is \(knee), which is not in its front")
        }
    }

    // MARK: Values

    /// Reads an object's members: each required one once, an optional one at most once; others are
    /// passed over.
    private static func object(
        _ scanner: inout JSONScanner, _ place: String, _ required: [String], optional: String? = nil,
        _ member: (inout JSONScanner, String) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw JSONFault(problem: "\(place.isEmpty ? "the export" : String(place.dropLast())) must be an object")
        }
        var seen: Set<String> = []
        try scanner.members { scanner, key throws(JSONFault) in
            let name = String(decoding: key, as: UTF8.self)
            guard name == optional || required.contains(name) else { return try scanner.skipValue() }
            guard seen.insert(name).inserted else { throw JSONFault(problem: "\(place)\(name) is given twice") }
            try member(&scanner, name)
        }
        if let missing = required.first(where: { !seen.contains($0) }) {
            throw JSONFault(problem: "\(place)\(missing) is missing")
        }
    }

    /// Reads a list. `element` gets its place, for messages.
    private static func list(
        _ scanner: inout JSONScanner, _ place: String,
        _ element: (inout JSONScanner, String) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try elements(&scanner, place) { scanner, number throws(JSONFault) in
            try element(&scanner, "\(place)[\(number)]")
        }
    }

    private static func elements(
        _ scanner: inout JSONScanner, _ place: String, _ element: (inout JSONScanner, Int) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard scanner.skip(UInt8(ascii: "[")) else { throw JSONFault(problem: "\(place) must be a list") }
        if scanner.skip(UInt8(ascii: "]")) { return }
        var number = 0
        repeat {
            try element(&scanner, number)
            number += 1
        } while scanner.skip(UInt8(ascii: ","))
        try named(place) { () throws(JSONFault) in try scanner.expect(UInt8(ascii: "]")) }
    }

    /// Whether null is next; moves past it.
    private static func isNull(_ scanner: inout JSONScanner) throws(JSONFault) -> Bool {
        guard scanner.peek() == UInt8(ascii: "n") else { return false }
        try scanner.skipValue()
        return true
    }

    private static func text(_ scanner: inout JSONScanner, _ place: String) throws(JSONFault) -> String {
        guard scanner.peek() == UInt8(ascii: "\"") else { throw JSONFault(problem: "\(place) must be a string") }
        return try named(place) { () throws(JSONFault) in try scanner.string() }
    }

    private static func counts(
        _ scanner: inout JSONScanner, _ place: String, from least: Int = 0
    ) throws(JSONFault) -> [Int] {
        var counts: [Int] = []
        try elements(&scanner, place) { scanner, number throws(JSONFault) in
            counts.append(try count(&scanner, "\(place)[\(number)]", from: least))
        }
        return counts
    }

    private static func count(
        _ scanner: inout JSONScanner, _ place: @autoclosure () -> String, from least: Int = 0
    ) throws(JSONFault) -> Int {
        let value: Double
        do throws(JSONFault) { value = try scanner.double() } catch {
            throw JSONFault(problem: "\(place()): \(error.problem)")
        }
        guard value >= Double(least), value <= most, value == value.rounded() else {
            let text = Int(exactly: value).map { "\($0)" } ?? "\(value)"
            throw JSONFault(problem: "\(place()) is \(text); it must be a whole number from \(least) to 2^53")
        }
        return Int(value)
    }

    /// Adds the place to a fault.
    private static func named<Value>(
        _ place: String, _ body: () throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value {
        do throws(JSONFault) { return try body() } catch { throw JSONFault(problem: "\(place): \(error.problem)") }
    }
}
