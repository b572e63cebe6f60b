public import Settle

/// A random sequence of actions for an engine. A seed gives the same actions on every
/// machine. Scenes have the names 0, 1, 2 … in the order of their connection, and names are
/// not reused, so that an event for a disconnected scene has a stale name.
public struct RandomStream {
    public enum Action {
        case connect(policy: Policy?)
        /// Another policy for a connected scene with this name.
        case setPolicy(Policy, of: UInt32)
        /// The raw value of the event's scene is the name.
        case event(Event)
    }

    public let policy: Policy
    public let scenesMax: Int
    public private(set) var actions: [Action] = []

    private var random: SplitMix64
    private let unit: UInt64
    private let flagPercent: Int
    private let resizingPercent: Int
    private let pointerPercent: Int
    private let pressedPercent: Int
    private let sizes: [Size]
    private var time: UInt64
    private var connected: [UInt32] = []
    private var names: UInt32 = 0
    /// Knows which builds are in flight.
    private var oracle = Oracle()

    public init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        unit = random.pick([1, 300, 1_000, 1_000_000, 1_000_000, 16_666_667])
        policy = RandomStream.policy(&random, unit: unit)
        scenesMax = 1 + random.below(6)
        flagPercent = random.pick([0, 0, 20, 50, 90])
        resizingPercent = random.pick([0, 10, 50, 50])
        pointerPercent = random.pick([0, 8, 25])
        pressedPercent = random.pick([50, 50, 80])
        sizes = RandomStream.sizes(&random)
        time = random.pick([0, 0, 1_000_000_007, 1 << 40])
        self.random = random
        for _ in 0..<20 + self.random.below(80) { addAction() }
    }

    /// A few sizes, so that scenes often return to one of them: small steps, jumps (rule 16), and
    /// steps of just the least jump and just less.
    private static func sizes(_ random: inout SplitMix64) -> [Size] {
        let scale = random.pick([1, 1, 0.001, 1e300, 4e305])
        var sides = [(400.0, 300.0), (401.0, 300.0), (400.0, 301.0), (410.0, 290.0), (500.0, 312.5)]
        sides += [(500.0, 312.0), (400.0, 387.5), (800.0, 600.0), (300.0, 400.0), (1.0, 1.0)]
        return (0..<2 + random.below(4)).map { _ in
            let (width, height) = random.pick(sides)
            return Size(width: width * scale, height: height * scale)
        }
    }

    /// Delays of a few units, often zero or equal, so that deadlines coincide with each other
    /// and with events.
    private static func policy(_ random: inout SplitMix64, unit: UInt64) -> Policy {
        func delay() -> Duration { .nanoseconds(Int64(UInt64(random.pick([0, 0, 1, 2, 3, 5, 8, 20])) * unit)) }
        return Policy(
            firstDelay: delay(), reportedEndDelay: delay(), releasedEndDelay: delay(), discreteDelay: delay(),
            quietDelay: delay(), jumpDelay: random.chance(50) ? delay() : nil, calmDelay: delay(), lockDelay: delay(),
            pauseDelay: random.chance(50) ? delay() : nil,
            pauseSharePercent: random.chance(60) ? random.pick([1, 7, 30, 50, 99, 100]) : nil,
            maximumWait: random.chance(40) ? delay() : nil,
            interactionTimeout: random.chance(40) ? delay() : nil,
            liveSharePercent: random.chance(50) ? random.pick([1, 7, 30, 50, 99, 100]) : nil,
            liveLimit: random.chance(40) ? delay() : nil, liveInterval: delay(),
            livePause: random.chance(40) ? delay() : nil)
    }

    private mutating func addAction() {
        if connected.count < scenesMax, random.chance(connected.isEmpty ? 80 : 6) {
            connected.append(names)
            names += 1
            let own = random.chance(40) ? RandomStream.policy(&random, unit: unit) : nil
            actions.append(.connect(policy: own))
            oracle.connect(SceneID(rawValue: names - 1), policy: own ?? policy)
            return
        }
        if !connected.isEmpty, random.chance(2) {
            let (other, scene) = (RandomStream.policy(&random, unit: unit), random.pick(connected))
            actions.append(.setPolicy(other, of: scene))
            oracle.setPolicy(other, of: SceneID(rawValue: scene))
            return
        }
        step()
        guard names > 0 else { return }
        let isStale = random.chance(3)
        let name = isStale || connected.isEmpty ? UInt32(random.below(Int(names))) : random.pick(connected)
        let event = event(SceneID(rawValue: name), at: eventTime())
        actions.append(.event(event))
        oracle.submit(event)
    }

    private mutating func step() {
        time += UInt64(random.pick([0, 0, 0, 1, 1, 1, 2, 3, 5])) * unit
        if random.chance(1) { time += 1 + random.next() % unit }
        if random.chance(2) {
            let second: UInt64 = 1_000_000_000
            time += random.pick([second, 3_600 * second, 86_400 * second, 2 * 365 * 86_400 * second])
        }
    }

    private mutating func eventTime() -> Timestamp {
        if random.chance(1) { return Timestamp(nanoseconds: UInt64(Int64.max) + 1 + random.next() % 1_000) }
        guard random.chance(5) else { return Timestamp(nanoseconds: time) }
        return Timestamp(nanoseconds: time - min(time, UInt64(random.below(6)) * unit))
    }

    private mutating func event(_ scene: SceneID, at: Timestamp) -> Event {
        if random.chance(pointerPercent) {
            let button = UInt32(random.pick([1, 1, 1, 2, 7]))
            return .pointer(button: button, at: at, isPressed: random.chance(pressedPercent))
        }
        switch random.below(40) {
        case 0:
            connected.removeAll { $0 == scene.rawValue && at <= .latest }
            return .disconnect(scene, at: at)
        case 1: return .connect(scene, at: at)
        case 2, 3: return .flush(scene, at: at)
        case 4: return .cancel(scene, at: at)
        case 5, 6: return .reallyBuilt(scene, at: at, size: random.pick(sizes + [.zero, nil]))
        case 7 where connected.contains(scene.rawValue):
            let bad = random.pick([-1, Double.nan, Double.infinity, -Double.infinity])
            let size = random.chance(50) ? Size(width: bad, height: 1) : Size(width: 0, height: bad)
            if random.chance(20) { return .reallyBuilt(scene, at: at, size: size) }
            return .geometry(scene, at: at, size: size, isInteractivelyResizing: true)
        case 8...14: return finished(scene, at: at)
        case 15...18: return previewed(scene, at: at)
        default: return geometry(scene, at: at)
        }
    }

    /// Mostly the report of the scene's last rebuild, of a cost of a few units.
    private mutating func finished(_ scene: SceneID, at: Timestamp) -> Event {
        .finished(scene, at: at, generation: reported(last: oracle.generation(of: scene)), cost: cost())
    }

    /// The same of its last preview.
    private mutating func previewed(_ scene: SceneID, at: Timestamp) -> Event {
        .previewed(
            scene, at: at, generation: reported(last: oracle.previews(of: scene)), cost: cost(),
            isKept: random.chance(60))
    }

    private mutating func reported(last: UInt32) -> UInt32 {
        random.chance(80) ? last : UInt32(random.pick([0, 1, Int(last) + 1, Int(UInt32.max)]))
    }

    private mutating func cost() -> Duration {
        if random.chance(5) { return random.pick([.nanoseconds(1), .nanoseconds(unit + 1), .seconds(7200)]) }
        return .nanoseconds(Int64(UInt64(random.pick([0, 0, 1, 1, 2, 3, 5, 8, 20])) * unit))
    }

    private mutating func geometry(_ scene: SceneID, at: Timestamp) -> Event {
        var size: Size? = random.chance(70) ? random.pick(sizes) : nil
        if random.chance(4) { size = random.pick([.zero, Size(width: 0, height: 5), Size(width: 5, height: -0.0)]) }
        return .geometry(
            scene, at: at, size: size,
            isInteractivelyResizing: random.chance(flagPercent) ? random.chance(resizingPercent) : nil,
            isInterfaceOrientationLocked: random.chance(15) ? random.chance(50) : nil,
            orientation: random.chance(10) ? random.pick(InterfaceOrientation.allCases) : nil)
    }
}

extension RandomStream: CustomStringConvertible {
    /// One line per action, for debugging a seed that failed.
    public var description: String {
        let lines = actions.enumerated().map { number, action in
            switch action {
            case .connect(let policy): "\(number) connect\(policy.map { " with \($0)" } ?? "")"
            case .setPolicy(let policy, let scene): "\(number) scene \(scene) has \(policy)"
            case .event(let event): "\(number) \(event.line)"
            }
        }
        return (["scenesMax \(scenesMax), \(policy)"] + lines).joined(separator: "\n")
    }
}

extension Event {
    fileprivate var line: String {
        var words = ["\(at.nanoseconds)", kind.map { "\($0)" } ?? "unknown"]
        words.append(kind == .pointer ? "button \(button) \(isPressed ? "down" : "up")" : "scene \(scene.rawValue)")
        if let build { words.append("rebuild \(build.generation) in \(build.cost)") }
        if let work {
            words.append("preview \(work.generation) \(work.isKept ? "in" : "given up after") \(work.cost)")
        }
        if let size { words.append("\(size)") }
        if let isInteractivelyResizing { words.append("resizing \(isInteractivelyResizing)") }
        if let isInterfaceOrientationLocked { words.append("locked \(isInterfaceOrientationLocked)") }
        return words.joined(separator: " ")
    }
}

extension Oracle {
    /// The number of the scene's last preview, as `generation` of its last rebuild.
    fileprivate func previews(of scene: SceneID) -> UInt32 { scenes[scene]?.previews ?? 0 }
}
