public enum LogPosition: Hashable, Sendable {
    /// A line of a text log, counted from 1.
    case line(Int)
    /// A byte of a binary log, counted from 0.
    case byte(UInt64)
}

extension LogPosition: CustomStringConvertible {
    /// `line 12` or `byte 4096`.
    public var description: String {
        switch self {
        case .line(let number): "line \(number)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}

/// A problem with a log or a file: what it is, where it is, and what to do.
public struct LogError: Error, Hashable, Sendable {
    /// The sorts of problems.
    public enum Kind: Hashable, Sendable {
        /// The system could not open, read or write; `code` is its errno.
        case io(code: Int32)
        /// The content violates the format.
        case malformed
        /// The content ends in the middle of something.
        case truncated
        /// The content has a newer version than this program reads.
        case newerVersion
        /// Events are earlier than those in the file that they would follow.
        case outOfOrder
    }

    /// The sort of problem.
    public var kind: Kind
    /// The file's name as it was given, or `standard input`, or `standard output`.
    public var file: String
    /// The position in the log, `nil` if the problem has none.
    public var position: LogPosition?
    /// The problem, and often what to do, for people.
    public var problem: String

    /// A problem with a file, at a position if it has one.
    public init(_ kind: Kind, file: String, at position: LogPosition? = nil, _ problem: String) {
        self.kind = kind
        self.file = file
        self.position = position
        self.problem = problem
    }
}

extension LogError: CustomStringConvertible {
    /// For example `drag.jsonl: line 12: "scene" is missing`.
    public var description: String {
        [file, position?.description, problem].compactMap { $0 }.joined(separator: ": ")
    }
}
