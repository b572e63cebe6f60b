#if SETTLE_FAULTS
    internal import Glibc
#endif

/// The planted faults of the Swift sources: single wrong steps that the project's checks
/// must find. Those of the C sources are in `CSources/CSettle/faults.h`, which says how
/// a fault is planted; no two faults have the same number.
package enum PlantedFault: Int32 {
    // The handlers.
    /// Two builds of one scene run at the same time.
    case buildsOverlap = 101
    /// The debt of a failed build is kept.
    case failedDebtKept = 102
    /// A failure is not reported.
    case failureUnreported = 103
    /// A full buffer supersedes a begin without its end.
    case beginSupersededAlone = 104
    /// The live lane hides ends.
    case endHidden = 105

    // The loop.
    /// The loop removes more events from a ring than it merged.
    case unmergedPopped = 120
    /// Time moves past events that still wait.
    case waitingEventsPassed = 121
    /// The posted events that a pass leaves are dropped.
    case leftPostsDropped = 122
    /// Merging ignores times.
    case mergeTimeIgnored = 123
    /// A pass goes on although a producer has earlier events.
    case earlierEventsPassed = 124
    /// A time from the future is kept.
    case futureTimeKept = 125
    /// Events that were held back overtake those in the ring.
    case heldBackOvertakes = 126
    /// Coalescing drops the end of an interaction.
    case coalescedEndDropped = 127
    /// Coalescing merges a rejected event into a valid one.
    case rejectedEventCoalesced = 128
    /// Coalescing forgets the fields that later events leave open.
    case openFieldsForgotten = 129
    /// A producer pushes past the events that it holds back.
    case heldBackPassed = 130
    /// A producer that waits for space is not woken.
    case waitingProducerAsleep = 131
    /// The loop sleeps without a second look.
    case sleepsWithoutLook = 132
    /// Connecting leaves posted disconnects behind.
    case disconnectsLeftBehind = 133
    /// A draining stop runs one pass only.
    case drainEndsEarly = 134
    /// A timer that has fired counts as set.
    case firedTimerCountsAsSet = 135
    /// Deadlines fire early by the lead.
    case firesEarlyByLead = 136
    /// The scenes of a stream that ends stay connected.
    case endedStreamStaysConnected = 137

    // Logs.
    /// The recorder acknowledges events that are not written.
    case unwrittenAcknowledged = 150
    /// The recorder acknowledges events that are not synced.
    case unsyncedAcknowledged = 151
    /// A write that ends early counts as complete.
    case shortWriteCountsAsWhole = 152
    /// An escape that JSON does not have is read as its letter, so that names merge.
    case unknownEscapeAccepted = 153
}

#if SETTLE_FAULTS
    private let selected = getenv("SETTLE_FAULT").map { atoi($0) } ?? 0

    package func planted(_ fault: PlantedFault) -> Bool { fault.rawValue == selected }
#else
    /// Whether this fault is planted: never in a normal build, where the compiler removes
    /// the code of the fault.
    @_transparent
    package func planted(_: PlantedFault) -> Bool { false }
#endif
