import Foundation
import SettlePlatform

/// A terminal that the test plays: a pseudoterminal's two ends.
public final class PlayedTerminal {
    /// The user's end.
    public private(set) var user: Int32
    /// The end that programs have open.
    public let program: Int32
    /// The path of that end.
    public let name: String
    private var shown = ""

    public init() throws {
        user = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, which Swift cannot import.
        guard user >= 0, ioctl(user, 0x4004_5431, &locked) == 0, ioctl(user, 0x8004_5430, &number) == 0 else {
            throw SystemError.last("ptmx")
        }
        name = "/dev/pts/\(number)"
        program = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        resize(rows: 24, columns: 80)
    }

    deinit {
        hangUp()
        close(program)
    }

    public func resize(rows: UInt16, columns: UInt16, widthPx: UInt16 = 0, heightPx: UInt16 = 0) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: widthPx, ws_ypixel: heightPx)
        _ = ioctl(user, UInt(TIOCSWINSZ), &size)
    }

    /// Whether the terminal took any of them.
    @discardableResult
    public func type(_ keys: String) -> Bool { keys.withCString { write(user, $0, strlen($0)) } > 0 }

    /// Everything that was shown so far.
    public func look() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(user, &bytes, bytes.count)
            if count <= 0 { return shown }
            shown += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// The same without carriage returns, whether the program's terminal adds them or not.
    public func lines() -> String {
        String(String.UnicodeScalarView(look().unicodeScalars.filter { $0 != "\r" }))
    }

    public func hangUp() {
        if user >= 0 { close(user) }
        user = -1
    }

    /// The modes, as bytes that can be compared.
    public var modes: [UInt32] {
        var modes = termios()
        tcgetattr(program, &modes)
        return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
    }

    public var isRaw: Bool { modes[3] & UInt32(ICANON | ECHO | ISIG) == 0 }
}
