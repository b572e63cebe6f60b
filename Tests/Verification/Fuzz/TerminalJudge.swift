@testable import SettleSources

/// What a terminal and a program in it send, whatever it is: of the keys, reports of sizes are taken out
/// and nothing else, and neither they nor the mode depend on where the bytes are split.
enum TerminalJudge {
    static func run(_ bytes: [UInt8]) {
        judgeKeys(bytes)
        judgeMode(bytes)
    }

    // MARK: Keys

    private struct Keys {
        var filter = ReportFilter()
        var passed: [UInt8] = []
        var reports: [WindowSize] = []

        mutating func read(_ bytes: some Sequence<UInt8>) {
            filter.read(bytes, into: &passed) { reports.append($0) }
        }

        func isSame(as other: Keys) -> Bool {
            passed == other.passed && reports == other.reports && filter.held == other.filter.held
                && filter.isBetweenKeys == other.filter.isBetweenKeys && filter.isPasting == other.filter.isPasting
        }
    }

    private static func judgeKeys(_ bytes: [UInt8]) {
        var whole = Keys()
        whole.read(bytes)
        var split = Keys()
        // Input before this place has passed or was a report.
        var place = 0
        for end in 1..<bytes.count + 1 {
            let before = split
            split.read(CollectionOfOne(bytes[end - 1]))
            let passed = split.passed[before.passed.count...]
            if split.reports.count > before.reports.count {
                demand(!before.filter.isPasting, "nothing is taken out of a paste")
                let added = split.reports[before.reports.count...]
                demand(added.count == 1 && added.first == size(ofReport: bytes[place..<end]), "a report is of its size")
                demand(passed.isEmpty, "a report does not pass")
                place = end
            } else {
                demand(passed == bytes[place..<place + passed.count], "what passes is what came")
                place += passed.count
            }
            demand(split.filter.held[...] == bytes[place..<end], "what has not passed is held")
        }
        demand(whole.isSame(as: split), "split keys are read as whole ones")
        judgeReports(bytes, whole)
        // The end of a key, after a silence, is the end of whatever came before.
        whole.filter.release(into: &whole.passed)
        whole.filter.endKey()
        demand(whole.filter.isBetweenKeys, "a key that was ended is no key any more")
        let (count, size) = (whole.passed.count, WindowSize(rows: 24, columns: 80, heightPx: 480, widthPx: 800))
        whole.read(size.report)
        demand(whole.reports.last == size && whole.passed.count == count, "a report is found behind whatever came")
    }

    /// Without pastes, every report is found.
    private static func judgeReports(_ bytes: [UInt8], _ keys: Keys) {
        let beginsPaste = Array("200~".utf8)
        if bytes.indices.contains(where: { bytes[$0...].starts(with: beginsPaste) }) { return }
        let lengths = bytes.indices.compactMap { start -> Int? in
            guard bytes[start] == 0x1B, let end = bytes[start...].firstIndex(of: UInt8(ascii: "t")) else { return nil }
            return size(ofReport: bytes[start...end]) == nil ? nil : end - start + 1
        }
        let certain = lengths.count { $0 <= 40 }
        demand((certain...lengths.count).contains(keys.reports.count), "each report is taken out once")
    }

    /// The size in a whole report; `nil` if the bytes are none.
    private static func size(ofReport bytes: ArraySlice<UInt8>) -> WindowSize? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("\u{1B}[48;"), text.hasSuffix("t") else { return nil }
        let numbers = text.dropFirst(5).dropLast().split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.allSatisfy { "0123456789:".contains($0) } ? UInt16(part.prefix { $0 != ":" }) : nil
        }
        guard numbers.count == 4, let rows = numbers[0], let columns = numbers[1], let height = numbers[2],
            let width = numbers[3]
        else { return nil }
        return WindowSize(rows: rows, columns: columns, heightPx: height, widthPx: width)
    }

    // MARK: The mode

    private static func judgeMode(_ bytes: [UInt8]) {
        var whole = ResizeMode()
        whole.read(bytes)
        var split = ResizeMode()
        for byte in bytes { split.read(CollectionOfOne(byte)) }
        demand(whole.isOn == split.isOn && whole.requests == split.requests, "split output is read as a whole one")
        demand(!whole.isOn || whole.requests > 0, "a mode that is on was switched on")
        let requests = whole.requests
        for (sequence, isOn, added) in [
            ("c", false, 0), ("[?2048h", true, 1), ("[?25;2048l", false, 1), ("[?2048;7h", true, 2), ("[!p", false, 2),
        ] {
            whole.read("\u{1B}\(sequence)".utf8)
            demand(whole.isOn == isOn && whole.requests == requests + added, "\(sequence) counts, whatever came before")
        }
    }
}
