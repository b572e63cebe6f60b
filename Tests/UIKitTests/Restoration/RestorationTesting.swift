import SettlePlatform
import UIKit
import XCTest

@testable import RestorationWriter

func makeSession(_ identifier: String, _ text: String = "state", content: Int = 0) throws -> StoredSession {
    let activity = NSUserActivity(activityType: "test.state")
    activity.userInfo = ["text": text, "content": Data(repeating: 7, count: content)]
    return try StoredSession(
        persistentIdentifier: identifier, role: "UIWindowSceneSessionRoleApplication", configurationName: "Main",
        stateRestorationActivity: StoredActivity(activity), userInfo: StoredDictionary(["n": 1], named: "userInfo"))
}

/// A session's whole content as text, with its keys in order, to compare by.
func plain(_ session: StoredSession?) -> String {
    guard let session else { return "none" }
    let activity = session.stateRestorationActivity?.activity
    return plain(any: [
        session.persistentIdentifier, session.role, session.configurationName ?? "none",
        session.userInfo?.dictionary ?? "none", activity?.activityType ?? "none", activity?.title ?? "none",
        activity?.userInfo ?? "none",
    ])
}

func plain(_ sessions: [StoredSession]) -> [String] { sessions.map { plain($0) } }

private func plain(any value: Any) -> String {
    switch value {
    case let dictionary as [String: Any]: "\(dictionary.mapValues(plain(any:)).sorted { $0.key < $1.key })"
    case let array as [Any]: "\(array.map(plain(any:)))"
    case let data as Data: data.base64EncodedString()
    default: "\(value)"
    }
}

func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

func bytes(_ path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }

func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}

/// A process of `RestorationWriter`, killed on deallocation.
final class Writer {
    private let process = Process()
    private let output = Pipe()

    init(_ verb: String, _ folder: String) throws {
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("RestorationWriter")
        process.arguments = [verb, folder]
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit { kill() }

    /// Blocks until the process has said something.
    func waitForFirstWords() -> Data { output.fileHandleForReading.availableData }

    /// The lines that it says until it ends.
    func lines() -> [String] {
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func kill() {
        if process.isRunning { SettlePlatform.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// What is wrong with the state that a killed writer left, nil if nothing is.
    static func complaint(about folder: String, lastSaid: Int) throws -> String? {
        let content = try RestorationStore(folder: folder).load()
        if let fault = content.faults.first { return "\(fault)" }
        guard try files(in: folder) == ["writer.session"] else { return "\(try files(in: folder)) are there" }
        guard let session = content.sessions.first else { return "no state is there" }
        let info = session.stateRestorationActivity?.activity.userInfo
        guard let number = info?["number"] as? Int else { return "no number is there" }
        // What was stored last may have been cut off before it could be said.
        guard lastSaid...lastSaid + 1 ~= number else { return "state \(number) is there after \(lastSaid) was said" }
        let isWhole = try plain(session) == plain(RestorationWriter.session(number))
        return isWhole ? nil : "state \(number) is not what was stored"
    }
}
