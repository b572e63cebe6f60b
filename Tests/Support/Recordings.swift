import Foundation

/// The recorded logs in Tests/Recordings.
public enum Recordings {
    public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings")

    /// The names of all recordings, for example `w04_mutter`.
    public static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".decisions.jsonl") }.map { String($0.dropLast(16)) }.sorted()
    }()

    public static func log(_ name: String) -> String { folder.appendingPathComponent("\(name).jsonl").path }

    public static func decisions(_ name: String) -> String {
        folder.appendingPathComponent("\(name).decisions.jsonl").path
    }
}

/// A test's own temporary folder, created at its first use and removed by `remove` or with
/// this object. A property of a test case outlives the test, so its `tearDown` calls `remove`.
///
/// It is created at its first use because every process that lists or runs tests creates all
/// test cases.
public final class TemporaryFolder: @unchecked Sendable {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("settle-\(UUID().uuidString)")
    private let making = NSLock()
    private var isMade = false

    public init() {}

    public var path: String {
        making.withLock {
            if !isMade { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
            isMade = true
        }
        return url.path
    }

    deinit { remove() }

    public func remove() {
        making.withLock {
            if isMade { try? FileManager.default.removeItem(at: url) }
            isMade = false
        }
    }

    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
