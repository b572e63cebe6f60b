import Glibc

/// What libFuzzer calls with every input. The environment variable
/// `SETTLE_FUZZ_TARGET` names the target; scripts/fuzz sets it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// What can be fuzzed. Another target needs a case here, its judge beside the others,
/// and an archive of its name in Corpus.
enum FuzzTarget: String, CaseIterable {
    /// Every reader of event logs, each with bytes of its own format.
    case jsonl
    case settle
    case waylandDebug = "wayland-debug"
    case xev
    case asciicast
    case script
    case ttyrec
    case rrweb
    /// Which format a log has.
    case detect
    /// A binary log in memory, read by the C functions.
    case whole
    /// A client's stream, as the socket server reads it.
    case stream
    /// The engine, judged by the oracle.
    case core
    /// The sweep of policies over a log, judged by an engine for each policy.
    case sweep
    /// The messages of a Wayland connection.
    case wayland
    /// What passes between a terminal and a program in it.
    case terminal
    /// An app's Info.plist.
    case manifest
    /// A stored scene session.
    case session

    static let chosen: FuzzTarget = {
        let name = getenv("SETTLE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        if let target = FuzzTarget(rawValue: name) { return target }
        complain("SETTLE_FUZZ_TARGET must be one of " + allCases.map(\.rawValue).joined(separator: ", "))
        exit(2)
    }()

    func run(_ bytes: [UInt8]) {
        switch self {
        case .jsonl: JSONLinesJudge.run(bytes)
        case .settle:
            ReaderJudge(.settle).run(bytes)
            // Nobody guesses a checksum, and behind it are the mistakes that matter.
            ReaderJudge(.settle).run(BinaryLogMender.mended(bytes))
        case .waylandDebug: ReaderJudge(.waylandDebug).run(bytes)
        case .xev: ReaderJudge(.xev).run(bytes)
        case .asciicast: ReaderJudge(.asciicast).run(bytes)
        case .script: ReaderJudge(.script).run(bytes)
        case .ttyrec: ReaderJudge(.ttyrec).run(bytes)
        case .rrweb: ReaderJudge(.rrweb).run(bytes)
        case .detect: ReaderJudge.detect(bytes)
        case .whole:
            WholeLogJudge.run(bytes)
            WholeLogJudge.run(BinaryLogMender.mended(bytes))
        case .stream: StreamJudge.run(bytes)
        case .core: CoreJudge.run(bytes)
        case .sweep: SweepJudge.run(bytes)
        case .wayland: WaylandJudge.run(bytes)
        case .terminal: TerminalJudge.run(bytes)
        case .manifest: PropertyListJudge.manifest(bytes)
        case .session: PropertyListJudge.session(bytes)
        }
    }
}

/// Ends the program, which libFuzzer takes for a crash, when a promise is broken.
func demand(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    if isKept { return }
    complain("broken promise: \(promise())")
    abort()
}

func complain(_ text: String) {
    let line = "fuzz: \(text)\n"
    _ = line.withCString { write(2, $0, line.utf8.count) }
}

/// An input's bytes, one number after another; zeros behind its end.
struct Numbers {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    var rest: ArraySlice<UInt8> { bytes[min(position, bytes.count)...] }

    mutating func byte() -> Int {
        guard position < bytes.count else { return 0 }
        position += 1
        return Int(bytes[position - 1])
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(truncatingIfNeeded: byte()) << (8 * $1) }
    }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[byte() % choices.count] }
}
