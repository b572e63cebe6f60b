package import Settle
package import SettleLog

/// What a fleet's sessions resulted in under each of many policies, by cohort: the JSON export of
/// `settle-fleet`, checked.
package struct FleetExport: Sendable {
    /// The export's name as it was given.
    package var name: String
    /// The program that wrote the export, and its version.
    package var generator: String
    /// The names of the columns whose values make a cohort.
    package var columns: [String]
    /// The policies that were tried.
    package var policies: [Policy]
    /// The index of today's policy.
    package var today: Int
    /// The sessions that count, whole or in part.
    package var sessions: Int
    /// The sessions with damage.
    package var damaged: Int
    /// By their values.
    package var cohorts: [Cohort]
    /// The sum of all cohorts; `nil` if the export has none, which it may for at most one cohort.
    package var total: Cohort?

    /// What another way of handling resizes would have done.
    package struct Baseline: Sendable {
        package var rebuilds: Int
        package var wasted: Int
    }

    /// The sums of some sessions.
    package struct Cohort: Sendable {
        /// A value for each column; empty for the total.
        package var values: [String?]
        package var sessions: Int
        package var events: Int
        package var damaged: Int
        package var everyChange: Baseline
        package var debounce: Baseline
        /// For each of `FleetExport.figureNames` a number for each policy.
        package var figures: [[Int]]
        /// The indices of the front's policies, by rising rebuilds.
        package var front: [Int]
        /// The index of the policy at the front's knee.
        package var knee: Int?
        /// The names of the durations that stay as they are in what is advised.
        package var unexercised: [String]
    }

    /// The keys of what is counted for each policy: of rebuilds, then of lags in nanoseconds.
    static let figureNames = ["rebuilds", "previews", "wasted", "p50_ns", "p95_ns", "p99_ns"]
    /// A lag without a bound, 18 minutes or more.
    static let openLag = -1
    static let version = 1
    /// The longest export, in bytes.
    package static let bytesMax = 256 << 20
}

/// What a file of a fleet may be.
package enum FleetContent: Sendable {
    /// The JSON export.
    case export
    /// A table that the Python package reads.
    case parquet

    /// The first bytes of a Parquet file.
    private static let parquetMagic = Array("PAR1".utf8)
    /// An export must be recognizable within so many bytes.
    private static let openingLength = 1 << 16

    /// Recognizes a fleet's file by its beginning, `nil` for a log. The input stays at its beginning.
    ///
    /// Waits for no more bytes than that takes: a log may come from a pipe, bit by bit.
    ///
    /// - Throws: `.io` when reading fails.
    package init?(_ input: ByteInput) throws(LogError) {
        var wanted = 1
        while true {
            let start = try input.peek(wanted)
            switch Self.opening(start) {
            case .known(let content):
                guard let content else { return nil }
                self = content
                return
            case .cut:
                guard start.count >= wanted, start.count < Self.openingLength else { return nil }
                wanted = start.count + 1
            }
        }
    }

    /// What a beginning shows.
    private enum Opening {
        case known(FleetContent?)
        /// More bytes may show something else.
        case cut
    }

    private static func opening(_ start: UnsafeRawBufferPointer) -> Opening {
        for (magic, content) in [(parquetMagic, FleetContent.parquet), (FleetReader.mark, nil)] {
            if start.count < magic.count, magic.starts(with: start) { return .cut }
            if let content, start.starts(with: magic) { return .known(content) }
        }
        var scanner = JSONScanner(FleetReader.withoutMark(start))
        guard let first = scanner.peek() else { return .cut }
        guard first == UInt8(ascii: "{") else { return .known(nil) }
        var kind: String?
        do throws(JSONFault) {
            try scanner.members { scanner, key throws(JSONFault) in
                guard key.elementsEqual("settle".utf8) else { return try scanner.skipValue() }
                kind = try scanner.string()
                throw JSONFault(problem: "the rest is not read")
            }
        } catch {
            // Before the beginning's end there may be a part of a word, such as null.
            if kind == nil, scanner.rest < 5 { return .cut }
        }
        return .known(kind == "fleet" ? .export : nil)
    }
}
