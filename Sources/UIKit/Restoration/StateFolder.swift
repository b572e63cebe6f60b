import Foundation

/// The system calls that decide what outlasts a power cut, so that a test can see their
/// order and let them fail. Each returns what the system's own does and sets `errno`.
struct FolderCalls {
    /// Of a file or a folder.
    var synchronize: (Int32) -> Int32 = { fsync($0) }
    /// Within the folder.
    var rename: (Int32, String, String) -> Int32 = { renameat($0, $1, $0, $2) }
}

/// A folder that one store at a time has open, and whole files in it.
///
/// Everything goes through the folder's descriptor, so a folder that is moved or
/// replaced meanwhile cannot mix two states. The lock lies on the descriptor and ends
/// with the process, however that ends.
final class StateFolder {
    let path: String
    private var descriptor: Int32
    private let calls: FolderCalls

    /// Opens the folder, making it and those above it where they lack.
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
                kind: .inUse, place: path, problem: "another app or store has this folder open",
                advice: "end it, or give this one a folder of its own")
        }
    }

    deinit { close() }

    /// Gives the folder free. Whatever is asked of it afterwards fails.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func names() throws(UISystem.RestorationError) -> [String] {
        // fdopendir takes its descriptor over, so it gets one of its own; a copy made by
        // dup would share its position with ours.
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

    /// The file's bytes, at most `bytesMax` + 1 of them; nil if there is no such file.
    func read(_ name: String, bytesMax: Int) throws(UISystem.RestorationError) -> [UInt8]? {
        // Without O_NONBLOCK a pipe of that name would hold us up.
        let file = Self.retrying { openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        if file < 0 {
            guard errno != ENOENT else { return nil }
            throw .system(errno, place(name), "cannot read")
        }
        defer { Glibc.close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= bytesMax {
            let count = Self.retrying { Glibc.read(file, &piece, min(piece.count, bytesMax + 1 - bytes.count)) }
            guard count >= 0 else { throw .system(errno, place(name), "cannot read") }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Replaces the file's content as a whole: whatever happens, and whenever, the file
    /// has the old content or the new. Once this returns, the new outlasts a power cut.
    func replace(_ name: String, by bytes: [UInt8], through temporary: String) throws(UISystem.RestorationError) {
        unlinkat(descriptor, temporary, 0)
        let file = Self.retrying {
            openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard file >= 0 else { throw .system(errno, place(name), "cannot write") }
        var code = Self.write(bytes, to: file)
        // The content must be on the disk before its name is.
        if code == 0, Self.retrying({ calls.synchronize(file) }) != 0 { code = errno }
        Glibc.close(file)
        if code == 0, calls.rename(descriptor, temporary, name) != 0 { code = errno }
        guard code == 0 else {
            unlinkat(descriptor, temporary, 0)
            throw .system(code, place(name), "cannot write")
        }
        try synchronize()
    }

    /// Removes the file for good, if there is one.
    func remove(_ name: String) throws(UISystem.RestorationError) {
        guard unlinkat(descriptor, name, 0) == 0 else {
            guard errno != ENOENT else { return }
            throw .system(errno, place(name), "cannot remove")
        }
        try synchronize()
    }

    /// Renames within the folder; false if the new name is taken or the system refuses.
    func rename(_ name: String, to newName: String) -> Bool {
        // There is no call that refuses a taken name everywhere, but the folder is ours.
        var status = stat()
        guard fstatat(descriptor, newName, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT else { return false }
        return calls.rename(descriptor, name, newName) == 0
    }

    func place(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    private func synchronize() throws(UISystem.RestorationError) {
        // Some file systems cannot synchronise a folder and say EINVAL; they have no
        // better to offer.
        guard Self.retrying({ calls.synchronize(descriptor) }) != 0, errno != EINVAL else { return }
        throw .system(errno, path, "changed, but a power cut may undo that")
    }

    private static func makeFolders(_ path: String, by calls: FolderCalls) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            let parent = made.isEmpty ? "." : made
            made += part + "/"
            // What stands in the way shows when the folder is opened.
            if mkdir(made, 0o700) == 0 { synchronizeFolder(parent, by: calls) }
        }
    }

    /// Makes sure that the name of a new folder outlasts a power cut, where the folder
    /// above may be read.
    private static func synchronizeFolder(_ path: String, by calls: FolderCalls) {
        let folder = retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { return }
        _ = retrying { calls.synchronize(folder) }
        Glibc.close(folder)
    }

    /// 0 once everything is written, else the errno.
    private static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = retrying {
                bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + done, $0.count - done) }
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
