internal import Settle
package import SettleLog

/// A fleet's export as a page: the same page as that of logs, with the export as its data.
package struct FleetPage {
    private let export: FleetExport

    package init(_ export: FleetExport) { self.export = export }

    /// Writes the page, and leaves the output to be finished.
    ///
    /// - Throws: `.io` when writing fails.
    package func write(to output: ByteOutput) throws(LogError) {
        try PageData.writePage(to: output) { () throws(LogError) in try writeData(to: output) }
    }

    /// Writes the JSON text alone.
    func writeData(to output: ByteOutput) throws(LogError) {
        let policies = export.policies.map { ScriptText.escaped($0.jsonLine) }
        let report = [
            ("settle", "\"report\""), ("version", "1"), ("generator", quoted("settle \(Engine.version)")),
            ("name", quoted(export.name)), ("policy", policies[export.today]), ("logs", "[]"),
        ]
        let fleet = [
            ("settle", "\"fleet\""), ("version", "\(FleetExport.version)"), ("generator", quoted(export.generator)),
            ("columns", list(export.columns.map(quoted))), ("policies", list(policies)),
            ("today", "\(export.today)"), ("sessions", "\(export.sessions)"), ("damaged", "\(export.damaged)"),
        ]
        try output.write("{\(members(report)),\n\"fleet\":{\(members(fleet)),\n\"cohorts\":[")
        for (number, cohort) in export.cohorts.enumerated() {
            try output.write(number == 0 ? "\n" : ",\n")
            try write(cohort, values: cohort.values, to: output)
        }
        try output.write("]")
        if let total = export.total {
            try output.write(",\n\"total\":")
            try write(total, values: nil, to: output)
        }
        try output.write("}}")
    }

    private func write(_ cohort: FleetExport.Cohort, values: [String?]?, to output: ByteOutput) throws(LogError) {
        func baseline(_ baseline: FleetExport.Baseline) -> String {
            "{" + members([("rebuilds", "\(baseline.rebuilds)"), ("wasted", "\(baseline.wasted)")]) + "}"
        }
        let named = values.map { [("cohort", list($0.map { $0.map(quoted) ?? "null" }))] } ?? []
        let figures = [
            ("sessions", "\(cohort.sessions)"), ("events", "\(cohort.events)"), ("damaged", "\(cohort.damaged)"),
            ("everyChange", baseline(cohort.everyChange)), ("debounce", baseline(cohort.debounce)),
            ("front", list(cohort.front.map { "\($0)" })), ("knee", cohort.knee.map { "\($0)" } ?? "null"),
            ("unexercised", list(cohort.unexercised.map(quoted))),
        ]
        try output.write("{" + members(named + figures))
        for (key, figures) in zip(FleetExport.figureNames, cohort.figures) {
            try output.write(",\"\(key)\":")
            try output.write(Self.list(figures))
        }
        try output.write("}")
    }

    private func members(_ pairs: [(String, String)]) -> String {
        pairs.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    }

    private func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    private func quoted(_ text: String) -> String { ScriptText.quoted(text) }

    /// The bytes of a list of numbers. A large fleet has millions.
    private static func list(_ numbers: [Int]) -> [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        bytes.reserveCapacity(10 * numbers.count + 2)
        var digits: [UInt8] = []
        for number in numbers {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            if number < 0 { bytes.append(UInt8(ascii: "-")) }
            var rest = number.magnitude
            digits.removeAll(keepingCapacity: true)
            repeat {
                digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: digits.reversed())
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
