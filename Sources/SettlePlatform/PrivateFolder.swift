#if canImport(Glibc)
    internal import Glibc
#endif

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
        guard mkdtemp(&template) != nil else { throw .last("mkdtemp") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { rmdir(path) }
}

/// The value of an environment variable; `nil` if it is absent or empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// How many descriptors the process may have open.
package var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
}
