import CSettle
import Foundation

@testable import UIKit

/// The UIKit layer's readers of files: an app's Info.plist and a stored session. They
/// read or say what is wrong, whatever the bytes.
enum PropertyListJudge {
    static func manifest(_ bytes: [UInt8]) {
        do {
            let list = try InfoPropertyList(data: Data(bytes), file: "fuzz", moduleName: "App")
            for warning in list.warnings { demand(warning.hasPrefix("fuzz: "), "a warning names the file: \(warning)") }
            for (role, all) in list.sceneManifest?.configurations ?? [:] {
                demand(!all.isEmpty, "a role that is listed has a configuration: \(role)")
                demand(!all.contains { $0.sceneClassName.isEmpty }, "a class that is named has a name")
            }
        } catch {
            demand(!error.problem.isEmpty && error.file == "fuzz", "a fault says what and where: \(error)")
        }
    }

    static func session(_ bytes: [UInt8]) {
        read(bytes)
        read(mended(bytes))
    }

    private static func read(_ bytes: [UInt8]) {
        switch SessionFile.content(of: bytes) {
        case .session(let session):
            // Neither may trap on what a file says.
            _ = session.stateRestorationActivity?.activity
            _ = session.userInfo?.dictionary
            guard let again = try? SessionFile.bytes(of: session),
                case .session(let copy) = SessionFile.content(of: again)
            else { return demand(false, "a session that was read can be written and read: \(session)") }
            demand(copy.persistentIdentifier == session.persistentIdentifier, "a session keeps its name")
        case .corrupt(let problem): demand(!problem.isEmpty, "a fault says what is wrong")
        case .newerVersion(let version): demand(version > SessionFile.version, "a newer version is newer: \(version)")
        }
    }

    /// With the length and the checksum that the bytes should have.
    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 24 else { return bytes }
        var bytes = bytes
        put(UInt64(bytes.count - 24), at: 16, in: &bytes)
        let crc = bytes.withUnsafeBytes { settle_crc32c(0, $0.baseAddress! + 12, $0.count - 12) }
        put(crc, at: 8, in: &bytes)
        return bytes
    }

    private static func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int, in bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
}
