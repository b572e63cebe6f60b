#if SETTLE_FAULTS
    internal import Glibc
#endif

/// The planted faults of the Swift sources: single wrong steps that the project's checks
/// must find; those of the module `UIKit` are in `Planted+Containers.swift`. Each property is
/// `false` in a normal build, where the compiler removes the code of the fault. Those of the C
/// sources are in `CSources/CSettle/settle_faults.h`, which says how a fault is planted; no two
/// faults have the same number.
///
/// For the modules of this package only. Public, because the compiler inlines nothing of
/// `package` access across modules.
@_spi(Faults) public enum Planted {
    // The handlers.
    /// Two builds of one scene run at the same time.
    @_alwaysEmitIntoClient @inline(__always) public static var buildsOverlap: Bool { isSelected(101) }
    /// The debt of a failed build is kept.
    @_alwaysEmitIntoClient @inline(__always) public static var failedDebtKept: Bool { isSelected(102) }
    /// A failure is not reported.
    @_alwaysEmitIntoClient @inline(__always) public static var failureUnreported: Bool { isSelected(103) }
    /// A full buffer supersedes a begin without its end.
    @_alwaysEmitIntoClient @inline(__always) public static var beginSupersededAlone: Bool { isSelected(104) }
    /// The live lane hides ends.
    @_alwaysEmitIntoClient @inline(__always) public static var endHidden: Bool { isSelected(105) }

    // The loop.
    /// The loop removes more events from a ring than it merged.
    @_alwaysEmitIntoClient @inline(__always) public static var unmergedPopped: Bool { isSelected(120) }
    /// Time moves past events that still wait.
    @_alwaysEmitIntoClient @inline(__always) public static var waitingEventsPassed: Bool { isSelected(121) }
    /// The posted events that a pass leaves are dropped.
    @_alwaysEmitIntoClient @inline(__always) public static var leftPostsDropped: Bool { isSelected(122) }
    /// Merging ignores times.
    @_alwaysEmitIntoClient @inline(__always) public static var mergeTimeIgnored: Bool { isSelected(123) }
    /// A pass goes on although a producer has earlier events.
    @_alwaysEmitIntoClient @inline(__always) public static var earlierEventsPassed: Bool { isSelected(124) }
    /// A time from the future is kept.
    @_alwaysEmitIntoClient @inline(__always) public static var futureTimeKept: Bool { isSelected(125) }
    /// Events that were held back overtake those in the ring.
    @_alwaysEmitIntoClient @inline(__always) public static var heldBackOvertakes: Bool { isSelected(126) }
    /// Coalescing drops the end of an interaction.
    @_alwaysEmitIntoClient @inline(__always) public static var coalescedEndDropped: Bool { isSelected(127) }
    /// Coalescing merges a rejected event into a valid one.
    @_alwaysEmitIntoClient @inline(__always) public static var rejectedEventCoalesced: Bool { isSelected(128) }
    /// Coalescing forgets the fields that later events leave open.
    @_alwaysEmitIntoClient @inline(__always) public static var openFieldsForgotten: Bool { isSelected(129) }
    /// A producer pushes past the events that it holds back.
    @_alwaysEmitIntoClient @inline(__always) public static var heldBackPassed: Bool { isSelected(130) }
    /// A producer that waits for space is not woken.
    @_alwaysEmitIntoClient @inline(__always) public static var waitingProducerAsleep: Bool { isSelected(131) }
    /// The loop sleeps without a second look.
    @_alwaysEmitIntoClient @inline(__always) public static var sleepsWithoutLook: Bool { isSelected(132) }
    /// Connecting leaves posted disconnects behind.
    @_alwaysEmitIntoClient @inline(__always) public static var disconnectsLeftBehind: Bool { isSelected(133) }
    /// A draining stop runs one pass only.
    @_alwaysEmitIntoClient @inline(__always) public static var drainEndsEarly: Bool { isSelected(134) }
    /// A timer that has fired counts as set.
    @_alwaysEmitIntoClient @inline(__always) public static var firedTimerCountsAsSet: Bool { isSelected(135) }
    /// Deadlines fire early by the lead.
    @_alwaysEmitIntoClient @inline(__always) public static var firesEarlyByLead: Bool { isSelected(136) }
    /// The scenes of a stream that ends stay connected.
    @_alwaysEmitIntoClient @inline(__always) public static var endedStreamStaysConnected: Bool { isSelected(137) }

    // Logs.
    /// The recorder acknowledges events that are not written.
    @_alwaysEmitIntoClient @inline(__always) public static var unwrittenAcknowledged: Bool { isSelected(150) }
    /// The recorder acknowledges events that are not synced.
    @_alwaysEmitIntoClient @inline(__always) public static var unsyncedAcknowledged: Bool { isSelected(151) }
    /// A write that ends early counts as complete.
    @_alwaysEmitIntoClient @inline(__always) public static var shortWriteCountsAsWhole: Bool { isSelected(152) }
    /// An escape that JSON does not have is read as its letter, so that names merge.
    @_alwaysEmitIntoClient @inline(__always) public static var unknownEscapeAccepted: Bool { isSelected(153) }

    // Live sources.
    /// The windows of a Wayland connection that ends stay connected.
    @_alwaysEmitIntoClient @inline(__always) public static var endedWindowsStay: Bool { isSelected(160) }
    /// The beginning of a Wayland message that is split is forgotten.
    @_alwaysEmitIntoClient @inline(__always) public static var splitMessageForgotten: Bool { isSelected(161) }
    /// The size in a Wayland message that is split is misread.
    @_alwaysEmitIntoClient @inline(__always) public static var splitSizeMisread: Bool { isSelected(162) }
    /// The beginning of a key that may be a terminal's report is forgotten.
    @_alwaysEmitIntoClient @inline(__always) public static var heldKeyForgotten: Bool { isSelected(163) }
    /// The beginning of a program's request for mode 2048 that is split is forgotten.
    @_alwaysEmitIntoClient @inline(__always) public static var splitModeForgotten: Bool { isSelected(164) }

    #if SETTLE_FAULTS
        private static let selected = getenv("SETTLE_FAULT").map { atoi($0) } ?? 0

        /// Whether SETTLE_FAULT holds this number.
        @inline(never)
        public static func isSelected(_ number: Int32) -> Bool { number == selected }
    #else
        /// No fault is planted in a normal build.
        @_alwaysEmitIntoClient @inline(__always)
        public static func isSelected(_: Int32) -> Bool { false }
    #endif
}
