internal import Settle

/// The time in front of a message: the wall clock in microseconds, of a day or modulo 2^32.
///
/// `[2029077.485]` is in milliseconds (`wl_closure_print` in src/connection.c; some locales print a comma),
/// `[21:39:43.452307]` is that of libwayland 1.26.
struct WaylandStamp {
    enum Range: UInt64 {
        case counter = 0x1_0000_0000
        case day = 86_400_000_000
    }

    let microseconds: UInt64
    let range: Range

    /// Reads a stamp from its bracket to the other; `nil` for anything else.
    init?(_ text: inout TextScanner) {
        guard text.skip("[") else { return nil }
        text.skipSpaces()
        guard var whole = text.unsigned() else { return nil }
        var range = Range.counter
        if text.skip(":") {
            guard whole < 24, let minutes = text.unsigned(), minutes < 60, text.skip(":"),
                let seconds = text.unsigned(), seconds < 61
            else { return nil }
            whole = (whole * 60 + minutes) * 60 + seconds
            range = .day
        }
        guard text.skip(".") || text.skip(","), let digits = text.run(\.isASCIIDigit), digits.count <= 9, text.skip("]")
        else { return nil }
        let perUnit: UInt64 = range == .day ? 1_000_000 : 1000
        var (fraction, scale): (UInt64, UInt64) = (0, 1)
        for digit in digits {
            fraction = fraction * 10 + UInt64(digit & 0x0F)
            scale *= 10
        }
        guard whole < 1 << 40 else { return nil }
        microseconds = whole * perUnit + fraction * perUnit / scale
        self.range = range
        guard microseconds < range.rawValue else { return nil }
    }
}

/// Extends stamps, which begin anew at the end of their range, to 64 bits.
struct WaylandClock {
    /// Several threads may print their lines slightly out of order, also when the stamps begin anew. In
    /// microseconds.
    private static let disorderMax: UInt64 = 1_000_000
    /// A larger step back means that the stamps have begun anew, however long nothing was printed. In microseconds.
    private static let stepBackMax: UInt64 = 60_000_000
    /// More than a century, and far from an overflow.
    private static let baseMax: UInt64 = 1 << 52
    private var base: UInt64 = 0
    private var last: UInt64 = 0
    /// How often the stamps began anew.
    private(set) var restartCount = 0

    mutating func time(of stamp: WaylandStamp) -> Timestamp {
        let (now, range) = (stamp.microseconds, stamp.range.rawValue)
        if now < last, last - now > Self.stepBackMax {
            base = min(base + range, Self.baseMax)
            restartCount += 1
        } else if now > last, last + range - min(now, range) < Self.disorderMax, base >= range {
            base -= range
            restartCount -= 1
        }
        last = now
        return Timestamp(nanoseconds: (base + now) * 1000)
    }
}
