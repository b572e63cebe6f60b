import Foundation

/// What went wrong with stored state, where, and what to do about it.
package struct RestorationError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The system refused; `code` is its errno.
        case io(code: Int32)
        /// Another store, here or in another process, has the folder open.
        case inUse
        /// A file's content is not what was written. It lies under `setAside` now, or
        /// where it was when that is nil.
        case corrupt(setAside: String?)
        /// A newer version wrote the file; it stays as it is.
        case newerVersion
        /// No file can be named after this session identifier.
        case identifier
        /// A value that is of none of the types that can be stored, or too deep among others.
        case unstorable
        /// More state than a file may hold.
        case tooLarge
    }

    package var kind: Kind
    /// The file or folder, or the session's identifier where there is no file.
    package var place: String
    package var problem: String
    /// What to do about it.
    package var advice: String

    static func system(_ code: Int32, _ place: String, _ problem: String) -> RestorationError {
        let advice =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: "free some space; the state stored before is kept"
            case EACCES, EPERM, EROFS: "give this user the right to read and write there"
            case ENOTDIR: "name a folder"
            default: "see to the file system; the state stored before is kept"
            }
        return RestorationError(
            kind: .io(code: code), place: place, problem: "\(problem): \(String(cString: strerror(code)))",
            advice: advice)
    }
}

extension RestorationError: CustomStringConvertible {
    /// For example `/state/A1.session: cannot write: No space left on device (free …)`.
    package var description: String { "\(place): \(problem) (\(advice))" }
}
