public import Settle
public import SettleLog
internal import SettlePlatform

/// Where geometry events come from while they happen: a window system, an app, a terminal.
///
/// A source belongs to one thread, on which a `SourceRunner` reads it. It decides nothing: it
/// reports sizes, flags and buttons as they arrive, with times of CLOCK_MONOTONIC.
///
/// A further source is a class in a file of its own, and a row in `SourceKind.all`, from which the command
/// makes its options.
public protocol GeometrySource: AnyObject {
    /// What the source can know.
    static var kind: SourceKind { get }

    /// What a recording's header states about the events.
    var header: LogHeader { get }

    /// The names of the scenes in the events of `read`.
    var scenes: SceneNames { get }

    /// A descriptor that is readable when `read` has work to do, such as that of an epoll
    /// instance; the same one for as long as the source exists.
    var descriptor: Int32 { get }

    /// When `read` must be called although the descriptor is not readable; `nil` for never.
    var nextWake: Timestamp? { get }

    /// Reads what has happened, without waiting for more. Stops when the batch is full, and
    /// continues with the next call.
    ///
    /// - Parameter batch: Events are appended to it, each stamped when it was received.
    /// - Returns: What is to be said besides; usually nothing.
    /// - Throws: When the source cannot continue. Events that were appended before are true.
    func read(into batch: EventBatch) throws(SourceError) -> [SourceNews]

    /// Asks the source to end in order: what it runs is asked to end, and `.ended` follows. A
    /// second call does not ask any more: it kills.
    ///
    /// - Returns: False if the source runs nothing that should end first.
    func stop() -> Bool
}

extension GeometrySource {
    public var nextWake: Timestamp? { nil }

    /// It runs nothing.
    public func stop() -> Bool { false }
}

/// What a source says besides its events.
public enum SourceNews: Hashable, Sendable {
    /// A scene has a title for people, or another one than before. It may contain anything, so
    /// it is escaped before it is printed.
    case title(SceneNumber, String)
    /// A line for people, for example about something that the source cannot see.
    case message(String)
    /// The source has ended in order; its events so far are all. A program that it ran has
    /// ended with the status, as a shell's `$?` has it: 128 more than the number of a signal.
    case ended(status: Int32)
}

/// Why a source cannot begin or continue.
public struct SourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong and where, and what to do about it, without a full stop.
    public var description: String

    /// The exit status that a shell has for a program that it cannot start: 127 if there is none, else 126; `nil` if
    /// the error is not about a program's start.
    public var shellStatus: Int32?

    /// An error with this description.
    public init(_ description: String) { self.description = description }

    /// A program could not be started.
    init(_ description: String, start error: SystemError) {
        self.description = description
        // Without descriptors, memory or processes it is the system that refuses, and not the program.
        let isSystems = [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(error.code)
        shellStatus = isSystems ? nil : error.code == ENOENT ? 127 : 126
    }
}
