import BenchSupport

/// One way to debounce many streams by 50 ms.
protocol Peer: AnyObject {
    static var name: String { get }
    init(streams: Int, settled: SettledSizes) throws
    /// Before the clock starts.
    func prepare(_ round: Round)
    /// The timed part: submits the changes, in batches of 256 where that matters.
    func feed(_ round: Round)
    /// Fires the pending timers. Peers with real timers do nothing here.
    func finish()
}

extension Peer {
    func prepare(_ round: Round) {}
    func finish() {}
}

let delayNanoseconds: UInt64 = 50_000_000
let batchSize = 256

/// A size change as the peers get it.
struct SizeChange: Sendable {
    var stream: Int
    var width: Double
    var height: Double
}

/// The changes of one round, and the hash of the sizes that they settle on.
struct Round {
    var changes: [SizeChange]
    var expectedHash: UInt64

    /// Round robin over the streams. `first` is the number of the first change among
    /// all that the peer ever got; no two numbers make the same size.
    init(streams: Int, changes count: Int, first: Int) {
        changes = (0..<count).map { index in
            let number = first + index
            return SizeChange(
                stream: index % streams, width: Double(1 + number & 0xFFFFF), height: Double(1 + number >> 20))
        }
        var last = [(width: Double, height: Double)](repeating: (0, 0), count: streams)
        for change in changes { last[change.stream] = (change.width, change.height) }
        expectedHash = FNV1a(sizes: last).value
    }
}
