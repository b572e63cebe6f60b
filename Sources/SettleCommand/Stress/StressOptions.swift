import Settle
import SettleLoop

/// What a stress run does.
struct StressOptions {
    var producers = 1
    var scenes = 100
    /// Events per second of all producers together; `nil` for as many as possible.
    var rate: Double? = 100_000
    var mix = StressMix.mixed
    var duration = Duration.seconds(2)
    var policy = Policy.default
    var overload = Overload.coalesce
    /// Events that may wait in a producer's ring.
    var capacity = 4096
    /// What a pretended rebuild takes; zero for none.
    var buildTime = Duration.zero
    var seed: UInt64 = 1
    /// A decision that is delivered later than so long after its time is a violation;
    /// `nil` for no bound.
    var lateLimit: Duration? = .milliseconds(100)

    static let specs: [OptionSpec] =
        PolicyOptions.specs + [
            .value("producers"), .value("scenes"), .value("rate"), .value("mix"), .value("duration"),
            .value("overload"), .value("capacity"), .value("build-time"), .value("seed"), .value("late-limit"),
            .flag("json"),
        ]

    init(_ options: Options) throws {
        guard options.positional.isEmpty else {
            throw Failure.usage("stress takes no log; '\(options.positional[0])' is one too many")
        }
        producers = try options.number("producers", 1...64, default: producers)
        scenes = try options.number("scenes", producers...Engine.scenesLimit, default: max(scenes, producers))
        rate = try Self.rate(options.value("rate"), rate)
        mix = try Self.word(options, "mix", mix)
        duration = try options.duration("duration") ?? duration
        guard duration > .zero, duration <= .seconds(86400) else {
            throw Failure.usage("--duration is '\(options.value("duration")!)'; it is more than 0 and at most 24h")
        }
        policy = try options.policy()
        overload = try Self.word(options, "overload", StressOverload.conflate) == .conflate ? .coalesce : .block
        capacity = try options.number("capacity", 1...1 << 24, default: capacity)
        guard capacity & (capacity - 1) == 0 else {
            throw Failure.usage("--capacity is '\(capacity)'; it is a power of two")
        }
        buildTime = try options.duration("build-time") ?? .zero
        seed = UInt64(try options.number("seed", 0...Int.max, default: 1))
        if let limit = try options.optionalDuration("late-limit") { lateLimit = limit }
    }

    private static func rate(_ text: String?, _ standard: Double?) throws -> Double? {
        guard let text else { return standard }
        if text == "max" { return nil }
        guard let rate = Double(text), rate >= 1, rate <= 1e9 else {
            throw Failure.usage("--rate is '\(text)'; it is max or events per second from 1 to 1e9")
        }
        return rate
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ options: Options, _ name: String, _ standard: Word
    ) throws -> Word {
        guard let text = options.value(name) else { return standard }
        if let word = Word(rawValue: text) { return word }
        throw Failure.usage(
            "--\(name) is '\(text)'; known are \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}

/// Which interactions a stress run is made of.
enum StressMix: String, CaseIterable {
    case drag, discrete, mixed, lock

    /// What one of the scenes does.
    func habit(ofScene number: Int) -> StressHand.Habit {
        switch self {
        case .drag: .drag
        case .discrete: .discrete
        case .lock: .lock
        case .mixed: StressHand.Habit.allCases[number % StressHand.Habit.allCases.count]
        }
    }
}

private enum StressOverload: String, CaseIterable { case conflate, block }
