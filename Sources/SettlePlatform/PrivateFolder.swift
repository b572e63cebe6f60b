/// A folder that only this user can enter, removed with its last reference if it is empty by then.
package final class PrivateFolder {
    /// The folder's path, without a slash at its end.
    package let path: String

    /// Makes a folder of a new name.
    ///
    /// - Parameters:
    ///   - parent: Where it is made.
    ///   - prefix: What its name begins with.
    package init(in parent: String, prefix: String) throws(SystemError) {
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer {
            $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw .last("mkdtemp") }
        path = made
    }

    deinit { rmdir(path) }
}
