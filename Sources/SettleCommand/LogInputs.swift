import Settle
import SettleLog
import SettlePlatform

/// The logs that `settle tune` and `settle report` are given: files, and the files in folders.
struct LogInputs {
    struct File: Sendable {
        var path: String
        /// The file's size, `nil` for a pipe.
        var bytes: UInt64?
        /// Whether it was found in a folder: such a file need not be a log.
        var isFound: Bool
    }

    private(set) var files: [File] = []
    /// The identities of the files, so that no output replaces one.
    private(set) var identities: [FileIdentity] = []
    /// What could not be read.
    private(set) var failures: [Failure] = []
    /// Files that are left out, by the reason.
    var skipped = Tally()

    private let output = FileIdentity(descriptor: 1)
    private let written: FileIdentity?
    private var seen: Set<FileIdentity> = []

    /// Nesting of folders that is followed at most.
    private static let depthMax = 64

    /// Finds the logs.
    ///
    /// - Parameter written: A file that is written, and so is none of what folders have.
    /// - Throws: If standard output goes into one of the files that are named, or standard input is
    ///   named twice.
    init(_ paths: [String], written: FileIdentity? = nil) throws {
        self.written = written
        guard paths.count(where: { $0 == "-" }) <= 1 else {
            throw Failure.usage("- names standard input twice; it can be read once")
        }
        for path in paths {
            try Outputs.checkStandardOutput(Outputs.identity(path))
            var status = stat()
            if path == "-" {
                add(path, status, isFound: false, identity: FileIdentity(descriptor: 0))
            } else if stat(path, &status) != 0 {
                fail(path, "cannot open")
            } else if status.st_mode & S_IFMT == S_IFDIR {
                addFolder(path, depth: 0)
            } else {
                add(path, status, isFound: false, identity: FileIdentity(path: path))
            }
        }
    }

    private mutating func fail(_ path: String, _ what: String) {
        failures.append(Failure(code: .io, message: "\(path): \(what): \(String(cString: strerror(errno)))"))
    }

    private mutating func add(_ path: String, _ status: stat, isFound: Bool, identity: FileIdentity?) {
        if let identity {
            guard seen.insert(identity).inserted else { return skipped.add("named twice, and counted once", path) }
            identities.append(identity)
        }
        let isRegular = path != "-" && status.st_mode & S_IFMT == S_IFREG
        files.append(File(path: path, bytes: isRegular ? UInt64(max(status.st_size, 0)) : nil, isFound: isFound))
    }

    /// Adds the files in a folder, in the order of their names' bytes.
    private mutating func addFolder(_ path: String, depth: Int) {
        guard let folder = opendir(path) else { return fail(path, "cannot open the folder") }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            // In place: an entry may be shorter than the type of its name.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
                }
            }
            if name == [0x2E] || name == [0x2E, 0x2E] { continue }
            if let text = String(validating: name, as: UTF8.self) {
                names.append(text)
            } else {
                skipped.add("its name is not valid UTF-8", "\(path)/\(String(decoding: name, as: UTF8.self))")
            }
        }
        if errno != 0 { fail(path, "cannot read the folder") }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        for name in names { addEntry(prefix + name, isHidden: name.hasPrefix("."), depth: depth) }
    }

    private mutating func addEntry(_ path: String, isHidden: Bool, depth: Int) {
        var (own, status) = (stat(), stat())
        if isHidden { return skipped.add("its name begins with a dot", path) }
        guard lstat(path, &own) == 0 else { return fail(path, "cannot open") }
        let isLink = own.st_mode & S_IFMT == S_IFLNK
        if stat(path, &status) != 0 {
            return isLink ? skipped.add("a link that leads nowhere", path) : fail(path, "cannot open")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR where isLink: skipped.add("a link to a folder, which may lead back; name the folder", path)
        case S_IFDIR where depth == Self.depthMax: skipped.add("nested more than \(Self.depthMax) folders deep", path)
        case S_IFDIR: addFolder(path, depth: depth + 1)
        case S_IFREG where status.st_size == 0: skipped.add("it is empty", path)
        case S_IFREG:
            let identity = FileIdentity(path: path)
            if identity != nil, identity == written { return skipped.add("it is written", path) }
            if identity != nil, identity == output { return skipped.add("standard output goes into it", path) }
            add(path, status, isFound: true, identity: identity)
        default: skipped.add("it is no regular file", path)
        }
    }
}

/// Counts what happened to files, with the first file of each kind.
struct Tally {
    private(set) var kinds: [(reason: String, count: Int, first: String)] = []
    private(set) var count = 0

    mutating func add(_ reason: String, _ path: String) {
        count += 1
        guard let known = kinds.firstIndex(where: { $0.reason == reason }) else {
            return kinds.append((reason, 1, path))
        }
        kinds[known].count += 1
    }

    /// The most kinds that are printed.
    private static let shownMax = 8

    /// A line per kind.
    ///
    /// - Parameter what: What happened to one file, and to several: `skipped`.
    func lines(_ what: String) -> [String] {
        let shown = kinds.prefix(Self.shownMax)
        let rest = count - shown.reduce(0) { $0 + $1.count }
        return shown.map { reason, count, first in
            count == 1
                ? "\(first): \(what): \(reason)" : "\(counted(count, "file")) \(what), the first \(first): \(reason)"
        } + (rest > 0 ? ["\(counted(rest, "file")) more \(what)"] : [])
    }
}
