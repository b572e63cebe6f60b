import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleHandlers

/// Builds that begin when the rebuilder says so and end when the test says so.
final class Workshop: Sendable {
    /// The builds, in the order in which they began.
    let jobs: AsyncStream<Job>
    private let announce: AsyncStream<Job>.Continuation

    init() { (jobs, announce) = AsyncStream.makeStream() }

    func build(_ scene: SceneID, _ rebuild: Rebuild) async throws {
        let job = Job(scene: scene, rebuild: rebuild)
        announce.yield(job)
        try await withTaskCancellationHandler {
            try await job.over()
        } onCancel: {
            job.noteCancellation.finish()
        }
    }

    final class Job: Sendable {
        struct Failure: Error {}

        let scene: SceneID
        let rebuild: Rebuild
        fileprivate let noteCancellation: AsyncStream<Never>.Continuation
        private let cancellation: AsyncStream<Never>
        private let outcomes = LockedValueBox(Outcome())

        private struct Outcome: Sendable {
            var waiter: CheckedContinuation<Void, Never>?
            var isOver = false
            var failure: (any Error)?
        }

        fileprivate init(scene: SceneID, rebuild: Rebuild) {
            self.scene = scene
            self.rebuild = rebuild
            (cancellation, noteCancellation) = AsyncStream.makeStream()
        }

        /// Returns when the build has been cancelled.
        func cancelled() async { for await _ in cancellation {} }

        func succeed() { end(nil) }

        func fail(_ error: any Error = Failure()) { end(error) }

        private func end(_ failure: (any Error)?) {
            let waiter = outcomes.withLock { outcome in
                (outcome.isOver, outcome.failure) = (true, failure)
                return outcome.waiter.take()
            }
            waiter?.resume()
        }

        /// Unlike a stream's end, this does not come with the task's cancellation.
        fileprivate func over() async throws {
            await withCheckedContinuation { waiter in
                let isOver = outcomes.withLock { outcome in
                    if !outcome.isOver { outcome.waiter = waiter }
                    return outcome.isOver
                }
                if isOver { waiter.resume() }
            }
            if let failure = outcomes.withLock({ $0.failure }) { throw failure }
        }
    }
}

/// What `built` was called with.
final class Told: Sendable {
    struct Call: Equatable, Sendable {
        var scene: SceneID
        var size: Size?
    }

    private let list = LockedValueBox<[Call]>([])

    var calls: [Call] { list.withLock { $0 } }

    func note(_ scene: SceneID, _ size: Size?) { list.withLock { $0.append(Call(scene: scene, size: size)) } }
}

extension Size {
    static func wide(_ width: Int) -> Size { Size(width: Double(width), height: 100) }
}

extension Decision {
    static func rebuild(_ scene: SceneID, _ width: Int, after previous: Int? = nil, generation: Int = 1) -> Decision {
        let rebuild = Rebuild(
            size: .wide(width), previousSize: previous.map(Size.wide), reason: .discrete, generation: UInt32(generation)
        )
        return Decision(at: Timestamp(nanoseconds: 0), scene: scene, kind: .rebuild(rebuild))
    }

    static func preview(_ scene: SceneID, _ width: Int) -> Decision {
        Decision(at: Timestamp(nanoseconds: 0), scene: scene, kind: .preview(.wide(width), generation: 1))
    }
}

extension XCTestCase {
    /// A rebuild as an engine decides it, for a size outside any interaction.
    func rebuild(_ size: Size, after previous: Size? = nil) -> Rebuild {
        Rebuild(size: size, previousSize: previous, reason: .discrete)
    }
}
