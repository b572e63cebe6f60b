internal import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

extension Duration {
    /// The duration for people: `820 ns`, `12.5 ms`, `4.21 s`, `3 min 20 s`. Below a minute it is rounded,
    /// from there on what is less than a second, or from an hour on a minute, is left out. The page of a
    /// report has the same rule (`duration` in `format.mjs`).
    package var text: String {
        let (magnitude, sign) = self < .zero ? (.zero - self, "-") : (self, "")
        if magnitude >= .seconds(60) {
            let seconds = magnitude.components.seconds
            return sign
                + (seconds < 3600
                    ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds % 3600 / 60) min")
        }
        let nanoseconds = magnitude.wholeNanoseconds
        return switch nanoseconds {
        case 0: "0 s"
        case ..<1_000: "\(sign)\(nanoseconds) ns"
        case ..<1_000_000: "\(sign)\(Self.rounded(nanoseconds, unit: 1_000, decimals: 1)) µs"
        case ..<1_000_000_000: "\(sign)\(Self.rounded(nanoseconds, unit: 1_000_000, decimals: 1)) ms"
        default: "\(sign)\(Self.rounded(nanoseconds, unit: 1_000_000_000, decimals: 2)) s"
        }
    }

    /// The number of units, half a last decimal rounded up.
    private static func rounded(_ nanoseconds: UInt64, unit: UInt64, decimals: Int) -> String {
        let scale: UInt64 = decimals == 1 ? 10 : 100
        let step = unit / scale
        return short(Double((nanoseconds + step / 2) / step) / Double(scale), decimals)
    }
}

/// A number with a fixed number of decimals.
package func fixed(_ value: Double, _ decimals: Int) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
        _ = withVaList([Int32(decimals), value]) { vsnprintf(buffer.baseAddress, buffer.count, "%.*f", $0) }
        // A buffer with a capacity has an address.
        return String(cString: buffer.baseAddress!)
    }
}

/// A number with at most so many decimals: `20` rather than `20.0`.
package func short(_ value: Double, _ decimals: Int) -> String {
    var text = fixed(value, decimals)
    guard text.contains(".") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
}
