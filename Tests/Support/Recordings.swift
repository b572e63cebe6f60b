import Foundation

/// The recorded logs in Tests/Recordings.
public enum Recordings {
    public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings")

    /// The names of all, for example `w04_mutter`.
    public static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".decisions.jsonl") }.map { String($0.dropLast(16)) }.sorted()
    }()

    public static func log(_ name: String) -> String { folder.appendingPathComponent("\(name).jsonl").path }

    public static func decisions(_ name: String) -> String {
        folder.appendingPathComponent("\(name).decisions.jsonl").path
    }
}

/// A folder of a test's own, gone with it. A test case's properties outlive its tests:
/// there, `tearDown` removes it.
public final class TemporaryFolder {
    public let path: String

    public init() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("settle-\(UUID().uuidString)")
        path = url.path
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { remove() }

    public func remove() { try? FileManager.default.removeItem(atPath: path) }

    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
