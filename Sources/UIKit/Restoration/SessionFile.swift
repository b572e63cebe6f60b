internal import CSettle
import Foundation

/// The file format of a session's state: a header and a binary property list.
///
/// | bytes | content, integers little-endian |
/// |---|---|
/// | 0–7 | `settleUI` |
/// | 8–11 | CRC-32C of everything from byte 12 on |
/// | 12–15 | version, 2 |
/// | 16–23 | length of the property list |
/// | 24– | the property list of a `StoredSession` |
///
/// Version 1 stored dictionaries as property lists without the tags of `StoredValue`; it can
/// still be read. Later versions keep the meaning of the first 16 bytes, so that an older
/// program can distinguish a newer file from a damaged one.
enum SessionFile {
    static let bytesMax = 4 << 20
    static let version: UInt32 = 2
    private static let magic = Array("settleUI".utf8)
    private static let headerBytes = 24
    private static let checkedFrom = 12

    enum Content {
        case session(StoredSession)
        /// What is wrong.
        case corrupt(String)
        case newerVersion(UInt32)
    }

    /// The file's bytes.
    ///
    /// - Throws: `tooLarge`, if they are more than `bytesMax`; `unstorable`.
    static func bytes(of session: StoredSession) throws(UISystem.RestorationError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let payload: Data
        do {
            payload = try encoder.encode(session)
        } catch {
            throw UISystem.RestorationError(
                kind: .unstorable, location: session.persistentIdentifier, problem: "\(error)",
                advice: "the previously stored state is kept")
        }
        guard headerBytes + payload.count <= bytesMax else {
            throw UISystem.RestorationError(
                kind: .tooLarge, location: "session \(session.persistentIdentifier)",
                problem: "its state has \(payload.count) bytes, more than \(bytesMax - headerBytes)",
                advice: "store references to the content instead of the content")
        }
        let checked = littleEndian(version) + littleEndian(UInt64(payload.count)) + payload
        return magic + littleEndian(crc(checked[...])) + checked
    }

    /// What a file's bytes contain.
    static func content(of bytes: [UInt8]) -> Content {
        guard bytes.count >= headerBytes else { return .corrupt("it ends after \(bytes.count) bytes") }
        guard bytes.starts(with: magic) else { return .corrupt("it does not begin with settleUI") }
        guard crc(bytes[checkedFrom...]) == integer(bytes[8..<12]) as UInt32 else {
            return .corrupt("its checksum is wrong")
        }
        let version: UInt32 = integer(bytes[12..<16])
        guard version <= Self.version else { return .newerVersion(version) }
        let length: UInt64 = integer(bytes[16..<24])
        guard 1...Self.version ~= version, length == UInt64(bytes.count - headerBytes) else {
            return .corrupt("its header is wrong")
        }
        do {
            let decoder = PropertyListDecoder()
            decoder.userInfo[StoredDictionary.versionKey] = version
            return .session(try decoder.decode(StoredSession.self, from: Data(bytes[headerBytes...])))
        } catch {
            return .corrupt("its property list is not a session: \(error)")
        }
    }

    private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { settle_crc32c(0, $0.baseAddress, $0.count) }
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func integer<Integer: FixedWidthInteger & UnsignedInteger>(_ bytes: ArraySlice<UInt8>) -> Integer {
        bytes.reversed().reduce(0) { $0 << 8 | Integer($1) }
    }
}
