import Settle
import SettleLoop

/// The options of a stress run.
struct StressOptions {
    var producers = 1
    var scenes = 100
    /// Events per second of all producers together; `nil` for as many as possible.
    var rate: Double? = 100_000
    var mix = StressMix.mixed
    var duration = Duration.seconds(2)
    var policy = Policy.default
    var overload = Overload.coalesce
    /// The most events that wait in a producer's ring; a power of two.
    var capacity = 4096
    /// The duration of a simulated rebuild; zero for no rebuilds.
    var buildTime = Duration.zero
    var seed: UInt64 = 1
    /// The longest lateness of a decision, more is a violation; `nil` for no bound.
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
        scenes = try options.number("scenes", producers...Engine.scenesLimit, default: scenes)
        rate = try Self.rate(options.value("rate"), rate)
        mix = try Self.choice(options, "mix", mix)
        duration = try options.duration("duration") ?? duration
        guard duration > .zero, duration <= .seconds(86400) else {
            throw Failure.usage("--duration is '\(options.value("duration") ?? "")'; it is more than 0 and at most 24h")
        }
        policy = try options.policy()
        overload = try Self.choice(options, "overload", overload)
        capacity = try options.number("capacity", 1...1 << 24, default: capacity)
        guard capacity & (capacity - 1) == 0 else {
            throw Failure.usage("--capacity is '\(capacity)'; it is a power of two")
        }
        buildTime = try options.duration("build-time") ?? buildTime
        seed = UInt64(try options.number("seed", 0...Int.max, default: Int(seed)))
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

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ options: Options, _ name: String, _ standard: Choice
    ) throws -> Choice {
        guard let text = options.value(name) else { return standard }
        if let choice = Choice(rawValue: text) { return choice }
        throw Failure.usage(
            "--\(name) is '\(text)'; known are \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}

/// The mix of behaviours of a stress run's scenes.
enum StressMix: String, CaseIterable {
    case drag, discrete, mixed, lock, pause

    /// The behaviour of the scene with a number.
    func behaviour(ofScene number: Int) -> StressScene.Behaviour {
        switch self {
        case .drag: .drag
        case .discrete: .discrete
        case .lock: .lock
        case .pause: .pause
        case .mixed: StressScene.Behaviour.allCases[number % StressScene.Behaviour.allCases.count]
        }
    }
}
