/// Where in a log something is.
public enum LogPosition: Hashable, Sendable {
    /// A line of a text log, counted from 1.
    case line(Int)
    /// A byte of a binary log, counted from 0.
    case byte(UInt64)
}

extension LogPosition: CustomStringConvertible {
    public var description: String {
        switch self {
        case .line(let number): "line \(number)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}

/// What is wrong with a log, where, and what to do about it.
public struct LogError: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The system could not open, read or write; `code` is its errno.
        case io(code: Int32)
        /// The content is not what the format says.
        case malformed
        /// The content ends in the middle of something.
        case truncated
        /// A newer version wrote it.
        case newerVersion
        /// Events are earlier than those they are to follow.
        case outOfOrder
    }

    public var kind: Kind
    /// The file's name as it was given, `-` for standard input.
    public var file: String
    public var position: LogPosition?
    public var problem: String

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
