import Settle
import SettleLog
import SettlePlatform
import Synchronization

/// Standard output for data, standard error for everything else.
enum Terminal {
    static let showsProgress = isatty(2) == 1

    /// How many columns standard output has; 80 if it is no terminal, or one that does not say.
    static var columns: Int {
        var size = winsize()
        return ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes data to standard output.
    ///
    /// - Throws: `Failure` when writing fails, for example on a full disk.
    static func print(_ text: String) throws {
        try writeAll(1, text)
    }

    /// Prints a line on standard error. Control characters, which come from logs and file
    /// names, are escaped.
    static func say(_ line: String) { sayText(line.escaped + "\n") }

    /// Prints text on standard error without escaping it.
    static func sayText(_ text: String) {
        clearProgress()
        // There is nowhere left to report a failure of standard error.
        try? writeAll(2, text)
    }

    /// Prints what another program has printed, as it is, on standard error.
    static func pass(_ bytes: ArraySlice<UInt8>) { try? writeAll(2, bytes) }

    /// Prints a line on standard error if that does not block. Otherwise the line is lost, and
    /// the next line that can be printed states how many were lost. Control characters are
    /// escaped, and a line that a pipe might not accept at once is shortened. Safe from any thread.
    static func offer(_ line: String) {
        let line = line.escaped
        linesLost.withLock { linesLost in
            let lost =
                linesLost > 0
                ? "settle: before this, \(counted(linesLost, "line was", "lines were")) lost:"
                    + " standard error could not accept more\n" : ""
            let bytes = Array((lost + line.shortened(toBytes: Int(PIPE_BUF) - lost.utf8.count - 1) + "\n").utf8)
            var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
            // A pipe that is ready for writing accepts PIPE_BUF bytes without blocking.
            guard poll(&output, 1, 0) > 0, write(2, bytes, bytes.count) >= 0 else {
                linesLost += 1
                return
            }
            linesLost = 0
        }
    }

    /// Lines of `offer` that could not be printed since the last one that was.
    private static let linesLost = LockedValueBox(0)

    private static func writeAll(_ descriptor: Int32, _ text: String) throws {
        try writeAll(descriptor, Array(text.utf8)[...])
    }

    private static func writeAll(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws {
        var bytes = bytes
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(code: .io, message: "standard output: cannot write: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static let progressIsShown = Atomic(false)

    /// Shows a line on standard error that the next one replaces; only on a terminal.
    static func progress(_ line: @autoclosure () -> String) {
        guard showsProgress else { return }
        progressIsShown.store(true, ordering: .relaxed)
        try? writeAll(2, "\r\u{1B}[K" + line())
    }

    static func clearProgress() {
        guard progressIsShown.exchange(false, ordering: .relaxed) else { return }
        try? writeAll(2, "\r\u{1B}[K")
    }
}

/// Shows the progress of a long read, at most ten times per second; only on a terminal.
struct ReadProgress {
    private let position: () -> (read: UInt64, of: UInt64?)
    private let started = ContinuousClock.now
    private var shown = ContinuousClock.now

    init(_ reader: LogReader) {
        self.init { reader.progress }
    }

    init(_ position: @escaping () -> (read: UInt64, of: UInt64?)) {
        self.position = position
    }

    mutating func update(events: Int) {
        guard Terminal.showsProgress, ContinuousClock.now - shown > .milliseconds(100) else { return }
        shown = .now
        let rate = Double(events) / max((shown - started).seconds, 1e-9)
        let (read, total) = position()
        let part = total.map { "\(fixed(100 * Double(read) / Double(max($0, 1)), 0)) %, " } ?? ""
        Terminal.progress("\(part)\(grouped(events)) events, \(fixed(rate / 1e6, 1)) million/s")
    }
}
