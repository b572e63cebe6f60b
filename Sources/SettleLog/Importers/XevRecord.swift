/// One event, collected line by line.
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
    /// Sent by a client rather than by the server: its time stamp may be anything.
    let isSynthetic: Bool
    private(set) var timeMilliseconds: UInt32?
    private(set) var window: String?
    private(set) var width: Int64?
    private(set) var height: Int64?
    private(set) var button: UInt32?
    private var hasLastField = false

    /// `nil` when the line does not start a record.
    init?(_ line: UnsafeRawBufferPointer, number: Int) {
        var text = TextScanner(line)
        guard let name = text.word(), text.skip(" event, serial ") else { return nil }
        self.line = number
        kind = Self.kind(name)
        isSynthetic = Self.field("synthetic ", in: text.rest)?.rest.starts(with: "YES") ?? false
        // The first line's window is the one that xev listens on. What follows it on
        // the same line are fields already: `xev -1` prints a record as one line.
        guard var fields = Self.field("window 0x", in: text.rest), fields.skip(past: 0x2C) else { return }
        add(fields.rest)
    }

    /// Whether nothing that this kind of record ends with is missing.
    var isWhole: Bool {
        switch kind {
        case .configure, .button: hasLastField
        case .destroy: window != nil
        case .other: true
        }
    }

    mutating func add(_ line: UnsafeRawBufferPointer) {
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

    /// A line that ends with an answer was not cut, even without a newline.
    static func endsWithAnswer(_ line: UnsafeRawBufferPointer) -> Bool {
        line.ends(with: " YES") || line.ends(with: " NO") || line.ends(with: " True") || line.ends(with: " False")
    }

    private static func kind(_ name: UnsafeRawBufferPointer) -> Kind {
        if name.isText("ConfigureNotify") { return .configure }
        if name.isText("ButtonPress") { return .button(isPressed: true) }
        if name.isText("ButtonRelease") { return .button(isPressed: false) }
        return name.isText("DestroyNotify") ? .destroy : .other
    }

    /// The text behind a field's name. Fields are separated by commas.
    private static func field(_ name: StaticString, in line: UnsafeRawBufferPointer) -> TextScanner? {
        var text = TextScanner(line)
        repeat {
            text.skipSpaces()
            if text.skip(name) { return text }
        } while text.skip(past: 0x2C)
        return nil
    }

    /// A number that a comma follows: without it the digits may be cut.
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
