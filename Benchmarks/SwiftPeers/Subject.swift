import BenchSupport
import Glibc

struct PeerError: Error, CustomStringConvertible {
    var description: String
}

/// A peer under measurement.
final class Subject {
    private let name: String
    private let peer: any Peer
    private let settled: SettledSizes
    private let streams: Int
    private let changes: Int
    private var made = 0
    private var nanoseconds: [Double] = []
    private var outcome: (hash: UInt64, fired: Int) = (0, 0)

    init(_ type: (some Peer).Type, streams: Int, changes: Int) throws {
        name = type.name
        settled = SettledSizes(streams: streams)
        peer = try type.init(streams: streams, settled: settled)
        self.streams = streams
        self.changes = changes
    }

    /// Feeds a round, waits until every stream has settled on its last size.
    func round(isTimed: Bool) throws {
        settled.clear()
        let round = Round(streams: streams, changes: changes, first: made)
        made += changes
        peer.prepare(round)
        // What the peer before left to other threads, cancelled timers for one, is
        // its own cost and not this one's.
        usleep(60_000)

        let start = monotonicNanoseconds()
        peer.feed(round)
        let took = monotonicNanoseconds() - start
        if isTimed { nanoseconds.append(Double(took) / Double(changes)) }

        peer.finish()
        let patience = monotonicNanoseconds() + 20_000_000_000
        outcome = settled.outcome
        while outcome.hash != round.expectedHash, monotonicNanoseconds() < patience {
            usleep(5_000)
            outcome = settled.outcome
        }
        guard outcome.hash == round.expectedHash else {
            throw PeerError(
                description: "\(name), \(streams) streams: it settled on something else than the last sizes")
        }
    }

    func printRow(case: String) {
        let runs = nanoseconds.map { "\(rounded($0))" }.joined(separator: ",")
        let hash = String(outcome.hash, radix: 16)
        print(
            #"{"kind":"feed","language":"Swift","case":"\#(`case`)","streams":\#(streams),"peer":"\#(name)","#
                + #""events":\#(changes),"ns":\#(rounded(median(nanoseconds))),"runs":[\#(runs)],"fired":\#(outcome.fired),"#
                + #""hash":"\#(hash)"}"#)
        fflush(nil)
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
