/// One event, parsed line by line.
struct XevRecord {
    enum Kind: Equatable {
        case configure
        case button(isPressed: Bool)
        case destroy
        case other
    }

    let kind: Kind
    /// The number of the record's first line.
    let line: Int
    /// What stands in front of each of its lines: an indentation, a quotation's mark, journald's or ts's prefix.
    let prefixCount: Int
    /// Whether a client sent the event, and not the server: its time stamp may be any number.
    let isSynthetic: Bool
    private(set) var timeMilliseconds: UInt32?
    private(set) var window: String?
    private(set) var width: Int64?
    private(set) var height: Int64?
    private(set) var button: UInt32?
    private var hasLastField = false

    /// Parses a record's first line; `nil` for any other line.
    init?(_ line: UnsafeRawBufferPointer, number: Int) {
        guard let end = line.find(" event, serial ", anchor: 6) else { return nil }
        let before = UnsafeRawBufferPointer(rebasing: line[..<end])
        prefixCount = before.lastIndex { !$0.isASCIILetter }.map { $0 + 1 } ?? 0
        var text = TextScanner(UnsafeRawBufferPointer(rebasing: line[prefixCount...]))
        guard let name = text.identifier(), text.skip(" event, serial ") else { return nil }
        self.line = number
        kind = Self.kind(name)
        isSynthetic = Self.field("synthetic ", in: text.rest)?.rest.starts(with: "YES") ?? false
        // The first line's window is the one that xev listens on. The rest of the line
        // may have fields: `xev -1` prints a record as one line.
        guard var fields = Self.field("window 0x", in: text.rest), fields.skip(past: 0x2C) else { return }
        add(fields.rest)
    }

    /// Whether the last field of this kind of record has been read.
    var isWhole: Bool {
        switch kind {
        case .configure, .button: hasLastField
        case .destroy: window != nil
        case .other: true
        }
    }

    /// A line of the record without what stands in front of it; empty if the record has ended.
    func withoutPrefix(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(rebasing: line.dropFirst(prefixCount))
        return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? UnsafeRawBufferPointer(start: nil, count: 0) : rest
    }

    mutating func add(_ line: UnsafeRawBufferPointer) {
        if kind == .other, timeMilliseconds != nil { return }
        if timeMilliseconds == nil, let time = Self.number("time ", in: line) {
            timeMilliseconds = UInt32(exactly: time)
        }
        switch kind {
        case .configure:
            window = window ?? Self.window(in: line)
            width = width ?? Self.number("width ", in: line)
            height = height ?? Self.number("height ", in: line)
            hasLastField = hasLastField || Self.hasAnswer("override ", in: line)
        case .button:
            button = button ?? Self.number("button ", in: line).flatMap { UInt32(exactly: $0) }
            hasLastField = hasLastField || Self.hasAnswer("same_screen ", in: line)
        case .destroy:
            window = window ?? Self.window(in: line)
        case .other:
            return
        }
    }

    /// Whether a line ends with a yes or no. Such a line is complete, even without a newline.
    static func endsWithAnswer(_ line: UnsafeRawBufferPointer) -> Bool {
        line.ends(with: " YES") || line.ends(with: " NO") || line.ends(with: " True") || line.ends(with: " False")
    }

    private static func kind(_ name: UnsafeRawBufferPointer) -> Kind {
        if name.isText("ConfigureNotify") { return .configure }
        if name.isText("ButtonPress") { return .button(isPressed: true) }
        if name.isText("ButtonRelease") { return .button(isPressed: false) }
        return name.isText("DestroyNotify") ? .destroy : .other
    }

    /// Returns the text behind a field's name, `nil` without such a field. Commas separate fields.
    private static func field(_ name: StaticString, in line: UnsafeRawBufferPointer) -> TextScanner? {
        var text = TextScanner(line)
        repeat {
            text.skipSpaces()
            if text.skip(name) { return text }
        } while text.skip(past: 0x2C)
        return nil
    }

    /// Returns a field's number if a comma follows it: otherwise, digits may be cut off.
    private static func number(_ name: StaticString, in line: UnsafeRawBufferPointer) -> Int64? {
        guard var text = field(name, in: line), let value = text.signed(), text.skip(",") else { return nil }
        return value
    }

    private static func window(in line: UnsafeRawBufferPointer) -> String? {
        guard var text = field("window 0x", in: line), let digits = text.run(\.isHexDigit),
            text.isAtEnd || text.rest.starts(with: ",") || text.rest.starts(with: " "),
            digits.count <= 16, let name = String(validating: digits, as: UTF8.self)
        else { return nil }
        return "0x" + name
    }

    private static func hasAnswer(_ name: StaticString, in line: UnsafeRawBufferPointer) -> Bool {
        guard let text = field(name, in: line) else { return false }
        return text.rest.starts(with: "YES") || text.rest.starts(with: "NO")
    }
}
