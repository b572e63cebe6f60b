import SettlePlatform

/// The file of this program.
enum OwnProgram {
    /// Its path, with a zero at its end. It need not be valid UTF-8.
    ///
    /// - Throws: `Failure` if the system does not know it.
    static func path() throws -> [CChar] {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/exe", &path, Int(PATH_MAX)) > 0 else {
            throw Failure(code: .io, message: "cannot find settle's own file: \(String(cString: strerror(errno)))")
        }
        return path
    }

    /// The path of its folder.
    ///
    /// - Throws: `Failure` also for a path that is not valid UTF-8.
    static func folder() throws -> String {
        let path = try path().prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard let folder = String(validating: path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
        else { throw Failure(code: .io, message: "the path of settle's own folder is not valid UTF-8") }
        return folder
    }
}
