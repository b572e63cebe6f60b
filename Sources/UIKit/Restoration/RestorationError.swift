import Foundation

extension UISystem {
    /// What is wrong with stored state, where, and what to do.
    package struct RestorationError: Swift.Error, Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A system call failed; `code` is its errno.
            case io(code: Int32)
            /// Another store, in this or another process, has the folder open.
            case inUse
            /// A file's content is damaged. The file was renamed to `setAside`, or stays
            /// where it is if that is nil.
            case corrupt(setAside: String?)
            /// A newer version of the program wrote the file, which stays as it is.
            case newerVersion
            /// The session identifier is empty or too long for a file name.
            case identifier
            /// A value is of a type that cannot be stored, or nested too deeply.
            case unstorable
            /// The state is larger than a file may be.
            case tooLarge
        }

        package var kind: Kind
        /// The file or folder, or the session's identifier where there is no file.
        package var location: String
        package var problem: String
        /// What to do about it.
        package var advice: String

        static func system(_ code: Int32, _ location: String, _ problem: String) -> RestorationError {
            let advice =
                switch code {
                case ENOSPC, EDQUOT, EFBIG: "free some space; the previously stored state is kept"
                case EACCES, EPERM, EROFS: "give this user the right to read and write there"
                case ENOTDIR: "use the path of a folder"
                default: "check the file system; the previously stored state is kept"
                }
            return RestorationError(
                kind: .io(code: code), location: location, problem: "\(problem): \(String(cString: strerror(code)))",
                advice: advice)
        }
    }
}

extension UISystem.RestorationError: CustomStringConvertible {
    /// For example `/state/A1.session: cannot write: No space left on device (free …)`.
    package var description: String { "\(location): \(problem) (\(advice))" }
}
