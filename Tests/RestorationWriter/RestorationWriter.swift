import UIKit

/// The process that the store's tests kill, run out of space and lock out.
@main
struct RestorationWriter {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fatalError("usage: RestorationWriter store|tear|starve|open FOLDER") }
        let folder = arguments[2]
        do {
            switch arguments[1] {
            case "store": try store(in: folder)
            case "tear": try tear(in: folder)
            case "starve": try starve(in: folder)
            case "open": try open(folder)
            default: fatalError("unknown \(arguments[1])")
            }
        } catch {
            say(error)
        }
    }

    /// Prints without a buffer, so that the output is complete before a kill.
    private static func say(_ text: Any) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    /// The state with that number, of a size that differs from those of its neighbours.
    static func session(_ number: Int) throws -> StoredSession {
        let activity = NSUserActivity(activityType: "test.writer")
        activity.title = "\(number)"
        let content = Data(repeating: UInt8(truncatingIfNeeded: number), count: number * 7919 % 200_000)
        activity.userInfo = ["number": number, "content": content]
        return try StoredSession(
            persistentIdentifier: "writer", role: "UIWindowSceneSessionRoleApplication",
            stateRestorationActivity: StoredActivity(activity))
    }

    /// Stores one state after the other until it is killed, and prints the number of each.
    private static func store(in folder: String) throws {
        let store = try RestorationStore(folder: folder)
        for number in 1... {
            try store.store(session(number))
            say(number)
        }
    }

    /// The planted fault: a writer that overwrites the file, killed half-way.
    private static func tear(in folder: String) throws {
        try RestorationStore(folder: folder).store(session(1))
        let path = folder + "/writer.session"
        try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(3000).write(to: URL(fileURLWithPath: path))
        say(1)
        while true { pause() }
    }

    /// No file may grow beyond 64 KiB, as if the disk were full in the middle of a write.
    private static func starve(in folder: String) throws {
        let store = try RestorationStore(folder: folder)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        try store.store(session(20))
    }

    private static func open(_ folder: String) throws {
        // Root may open any folder, which is not what the test is about.
        if getuid() == 0 { setuid(65_534) }
        let result = try RestorationStore(folder: folder).load()
        say(result.sessions.count)
    }
}
