internal import CSettle
public import Settle

/// What one session adds to a fleet's sums, in place of its log: what `settle-fleet --sums` reads
/// (`docs/reference/sums-format.md`).
///
/// ```swift
/// var sums = try SessionSums(policies: [.default, .uikit])   // today's first, in the order of the fleet's run
/// sums.add(event)                                            // each event that the app's engine is given
/// for record in sums.records() { send(record) }              // at the session's end
/// ```
///
/// It keeps 32 bytes an event until then.
public struct SessionSums: Sendable {
    /// The most policies, and the most bytes of a record.
    public static let policiesMax = Int(SETTLE_SUMS_POLICIES_MAX)
    public static let recordBytesMax = Int(SETTLE_SUMS_BYTES_MAX)

    /// How many events there are.
    public var count: Int { events.count }
    private let policies: [Policy]
    private let eventsMax: Int
    private var events: [settle_event] = []
    /// By an engine's handles: numbers in the order of their first events.
    private var numbers: [SceneID: UInt32] = [:]
    private var isCut = false

    /// - Parameters:
    ///   - policies: At least 1 and at most `policiesMax`; others have no records.
    ///   - eventsMax: The most events that are kept.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public init(policies: [Policy], eventsMax: Int = 1 << 20) throws(EngineError) {
        for policy in policies { _ = try policy.raw }
        self.policies = policies
        self.eventsMax = eventsMax
    }

    /// Adds the next event, in the order in which the engine is given it. Requests are left out.
    ///
    /// - Returns: False if there are `eventsMax` events already: then the session has no records.
    @discardableResult
    public mutating func add(_ event: Event) -> Bool {
        var raw = event.raw
        let isOfScene = raw.kind <= SETTLE_DISCONNECT.rawValue || raw.kind == SETTLE_FINISHED.rawValue
        guard isOfScene || raw.kind == SETTLE_POINTER.rawValue else { return true }
        if events.count >= eventsMax {
            isCut = true
            return false
        }
        if isOfScene {
            let number = numbers[event.scene] ?? UInt32(numbers.count)
            numbers[event.scene] = number
            raw.name = number
        }
        events.append(raw)
        return true
    }

    /// The records of what was added, each of at most `recordBytesMax` bytes: most often one. Each has to be added
    /// up once, in any order. Empty for another number of policies than an initializer takes, for more events than
    /// `eventsMax`, and if scenes connect more often than an engine can have scenes.
    public func records() -> [[UInt8]] {
        guard !isCut, !policies.isEmpty, policies.count <= Self.policiesMax else { return [] }
        let raw = policies.compactMap { try? $0.raw }
        // Each handle connects at most once.
        let (names, size) = (numbers.count, settle_sums_size(events.count, UInt32(numbers.count), numbers.count))
        guard size > 0 else { return [] }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        defer { memory.deallocate() }
        var bound = events
        var sums = settle_sums()
        return withUnsafeTemporaryAllocation(of: settle_sweep_counts.self, capacity: raw.count) { counts in
            counts.initialize(repeating: settle_sweep_counts())
            let result = settle_sums_count(
                &bound, bound.count, UInt32(names), names, raw, raw.count, memory, size, &sums, counts.baseAddress)
            guard result == SETTLE_OK.rawValue else { return [] }
            var records: [[UInt8]] = []
            var next: UInt32 = 0
            while true {
                let record = [UInt8](unsafeUninitializedCapacity: Self.recordBytesMax) { bytes, count in
                    count = settle_sums_write(
                        &sums, counts.baseAddress, raw, raw.count, &next, bytes.baseAddress!)
                }
                if record.isEmpty { return records }
                records.append(record)
            }
        }
    }
}
