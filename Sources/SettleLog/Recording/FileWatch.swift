internal import SettlePlatform

/// Detects changes that other processes make to a file while it is written.
struct FileWatch {
    /// Absolute, as the program may change its working directory; `nil` if the path cannot be
    /// resolved.
    private let path: String?

    struct Change {
        var problem: String
        /// The most bytes of the written ones that can still be in a file of that name.
        var bytesLeft: UInt64
    }

    init(path: String) {
        let absolute = realpath(path, nil)
        self.path = absolute.map { String(cString: $0) }
        free(absolute)
    }

    /// The change since all `output.written` bytes were written; `nil` if there is none.
    func change(of output: ByteOutput) -> Change? {
        guard let status = output.status else { return nil }
        if status.st_nlink == 0 { return Change(problem: "another process removed the file", bytesLeft: 0) }
        if let path, FileIdentity(path: path) != FileIdentity(status) {
            return Change(problem: "another process moved or replaced the file", bytesLeft: 0)
        }
        let (length, written) = (UInt64(status.st_size), output.written)
        if length == written { return nil }
        return Change(
            problem: "another process changed the file's length from \(written) to \(length) bytes",
            bytesLeft: min(length, written))
    }
}
