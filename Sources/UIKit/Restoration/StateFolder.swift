import Foundation
internal import SettlePlatform

/// The system calls on which durability depends, so that a test can observe their order
/// and make them fail. Each returns what the system call returns and sets `errno`.
struct FolderCalls {
    /// `fsync` of a file or a folder.
    var synchronize: (Int32) -> Int32 = { fsync($0) }
    /// `renameat` within a folder.
    var rename: (Int32, String, String) -> Int32 = { renameat($0, $1, $0, $2) }
}

/// A folder that one store at a time has open, with files that are read and replaced as a
/// whole.
///
/// All calls use the folder's descriptor, so moving or replacing the folder meanwhile cannot
/// mix two states. The descriptor has an exclusive `flock`, which ends with the process.
final class StateFolder {
    let path: String
    private var descriptor: Int32
    private let calls: FolderCalls

    /// Opens the folder, and creates it and its parents if they do not exist.
    ///
    /// - Throws: `inUse`, `io`.
    init(path: String, by calls: FolderCalls = FolderCalls()) throws(UISystem.RestorationError) {
        self.path = path
        self.calls = calls
        Self.makeFolders(path, by: calls)
        descriptor = Self.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(errno, path, "cannot open the folder for stored state") }
        guard Self.retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
            let code = errno
            close()
            guard code == EWOULDBLOCK else { throw .system(code, path, "cannot lock the folder for stored state") }
            throw UISystem.RestorationError(
                kind: .inUse, location: path, problem: "another app or store has this folder open",
                advice: "end it, or use another folder")
        }
    }

    deinit { close() }

    /// Releases the folder. Later calls fail.
    func close() {
        if descriptor >= 0 { SettlePlatform.close(descriptor) }
        descriptor = -1
    }

    /// The names of the folder's entries, in ascending order.
    ///
    /// - Throws: `io`.
    func names() throws(UISystem.RestorationError) -> [String] {
        // fdopendir owns its descriptor, and a duplicate of ours would share its position.
        let own = Self.retrying { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard own >= 0, let stream = fdopendir(own) else { throw .system(errno, path, "cannot list") }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
            errno = 0
        }
        guard errno == 0 else { throw .system(errno, path, "cannot list") }
        return names.sorted()
    }

    /// The file's bytes, at most `bytesMax` + 1 of them; `nil` if there is no such file.
    ///
    /// - Throws: `io`.
    func read(_ name: String, bytesMax: Int) throws(UISystem.RestorationError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe of that name would block.
        let file = Self.retrying { openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        if file < 0 {
            guard errno != ENOENT else { return nil }
            throw .system(errno, path(of: name), "cannot read")
        }
        defer { SettlePlatform.close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= bytesMax {
            let count = Self.retrying {
                SettlePlatform.read(file, &piece, min(piece.count, bytesMax + 1 - bytes.count))
            }
            guard count >= 0 else { throw .system(errno, path(of: name), "cannot read") }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Replaces the file's content as a whole: at any time the file has the old content or
    /// the new one. Once this returns, the new content survives a power failure.
    ///
    /// - Throws: `io`.
    func replace(_ name: String, with bytes: [UInt8], by temporary: String) throws(UISystem.RestorationError) {
        unlinkat(descriptor, temporary, 0)
        let file = Self.retrying {
            openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard file >= 0 else { throw .system(errno, path(of: name), "cannot write") }
        var code = Self.write(bytes, to: file)
        // The content must be on disk before its name is.
        if code == 0, Self.retrying({ calls.synchronize(file) }) != 0 { code = errno }
        SettlePlatform.close(file)
        if code == 0, calls.rename(descriptor, temporary, name) != 0 { code = errno }
        guard code == 0 else {
            unlinkat(descriptor, temporary, 0)
            throw .system(code, path(of: name), "cannot write")
        }
        try synchronize()
    }

    /// Removes the file durably, if there is one.
    ///
    /// - Throws: `io`.
    func remove(_ name: String) throws(UISystem.RestorationError) {
        guard unlinkat(descriptor, name, 0) == 0 else {
            guard errno != ENOENT else { return }
            throw .system(errno, path(of: name), "cannot remove")
        }
        try synchronize()
    }

    /// Renames a file; false if the new name is in use or the system call fails.
    func rename(_ name: String, to newName: String) -> Bool {
        // No portable call fails for a name in use, but nobody else uses the folder.
        var status = stat()
        guard fstatat(descriptor, newName, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT else { return false }
        return calls.rename(descriptor, name, newName) == 0
    }

    /// The path of an entry, for errors.
    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    private func synchronize() throws(UISystem.RestorationError) {
        // Some file systems cannot synchronize a folder and return EINVAL. There is no
        // alternative there.
        guard Self.retrying({ calls.synchronize(descriptor) }) != 0, errno != EINVAL else { return }
        throw .system(errno, path, "changed, but a power failure may undo that")
    }

    private static func makeFolders(_ path: String, by calls: FolderCalls) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            let parent = made.isEmpty ? "." : made
            made += part + "/"
            // An obstacle causes an error when the folder is opened.
            if mkdir(made, 0o700) == 0 { synchronizeFolder(parent, by: calls) }
        }
    }

    /// Makes the name of a new folder durable, if its parent may be read.
    private static func synchronizeFolder(_ path: String, by calls: FolderCalls) {
        let folder = retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { return }
        _ = retrying { calls.synchronize(folder) }
        SettlePlatform.close(folder)
    }

    /// Returns 0 once everything is written, else the errno.
    private static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = retrying {
                bytes[done...].withUnsafeBytes { SettlePlatform.write(file, $0.baseAddress, $0.count) }
            }
            guard count >= 0 else { return errno }
            done += count
        }
        return 0
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
