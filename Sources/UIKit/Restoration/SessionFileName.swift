import Foundation

/// The name of a session's file.
///
/// ASCII letters, digits and `-` stay as they are, and every other byte becomes `%` with two
/// hexadecimal digits. So no identifier can name a file outside the folder, and no two
/// identifiers share a file.
struct SessionFileName: Hashable {
    /// Bytes of UTF-8. With three characters per byte and the suffixes, a name has at most
    /// 255 bytes, which file systems allow.
    static let identifierBytesMax = 64
    static let suffix = ".session"
    static let temporarySuffix = ".session.partial"

    let value: String

    /// - Throws: `identifier`, if it is empty or longer than `identifierBytesMax`.
    init(identifier: String) throws(UISystem.RestorationError) {
        // Swift considers two encodings of an accent equal; so must the file names.
        let bytes = Array(identifier.precomposedStringWithCanonicalMapping.utf8)
        guard 1...Self.identifierBytesMax ~= bytes.count else {
            throw UISystem.RestorationError(
                kind: .identifier, location: "session \"\(identifier.prefix(80))\"",
                problem: "its identifier has \(bytes.count) bytes of UTF-8",
                advice: "use 1 to \(Self.identifierBytesMax) bytes, for example UUID().uuidString")
        }
        value = bytes.map(Self.escaped).joined() + Self.suffix
    }

    /// The file to which new state is written before it replaces the old.
    var temporary: String { String(value.dropLast(Self.suffix.count)) + Self.temporarySuffix }

    /// The new name of a damaged file; `number` counts from 1.
    static func setAside(_ name: String, number: Int) -> String {
        number == 1 ? "\(name).corrupt" : "\(name).corrupt-\(number)"
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            String(UnicodeScalar(byte))
        default:
            String(format: "%%%02X", Int(byte))
        }
    }
}
