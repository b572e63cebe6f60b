/// Durations as text with a unit: `50ms`, `1.5s`, `250us`. Options, policies and their
/// encodings use one syntax: digits, at most one point, and a unit; zero needs none.
extension Duration {
    /// Longer units first where one ends as another does.
    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000),
        ("h", 3_600_000_000_000),
    ]

    /// The most digits of a fraction that are read; further ones are below any unit's rounding.
    private static let fractionDigitsMax = 18

    /// Whole nanoseconds of a text, rounded to the nearest; `.max` for more than 64 bits hold,
    /// `nil` for a text that is no duration.
    package static func nanoseconds(of text: String) -> UInt64? {
        if !text.isEmpty, text != ".", text.allSatisfy({ $0 == "0" || $0 == "." }) {
            return text.count(where: { $0 == "." }) <= 1 ? 0 : nil
        }
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let parts = text.dropLast(unit.name.count).split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, !(parts[0].isEmpty && fraction.isEmpty), let whole = digits(parts[0]),
            digits(fraction) != nil, let numerator = digits(fraction.prefix(fractionDigitsMax))
        else { return nil }
        let (wholes, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
        if overflow { return .max }
        var scale: UInt64 = 1
        for _ in fraction.prefix(fractionDigitsMax) { scale *= 10 }
        // The fraction is below one unit, so the quotient is as well.
        let (quotient, rest) = scale.dividingFullWidth(numerator.multipliedFullWidth(by: unit.nanoseconds))
        let (sum, carry) = wholes.addingReportingOverflow(quotient + (rest > 0 && rest >= scale / 2 ? 1 : 0))
        return carry ? .max : sum
    }

    /// A number of decimal digits, at most `UInt64.max`; 0 for none, `nil` for other characters.
    private static func digits(_ text: Substring) -> UInt64? {
        var number: UInt64 = 0
        for character in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
            let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(character - UInt8(ascii: "0")))
            number = overflow || carry ? .max : sum
        }
        return number
    }

    /// The duration in this syntax, exact to the nanosecond: `50ms`, `1.5s`, `0s`. A negative one,
    /// which only messages have, begins with a minus.
    package var withUnit: String {
        if self < .zero { return "-" + Duration.nanoseconds(Int64(nanosecondsBelowZero)).withUnit }
        return switch wholeNanoseconds {
        case 0: "0s"
        case let short where short < 1_000: "\(short)ns"
        case let short where short < 1_000_000: Duration.text(ofNanoseconds: short, unit: 1_000) + "us"
        case let short where short < 1_000_000_000: Duration.text(ofNanoseconds: short, unit: 1_000_000) + "ms"
        case let long: Duration.text(ofNanoseconds: long, unit: 1_000_000_000) + "s"
        }
    }
}
