import CSodium
import Settle
import SettleLog

/// Replaces names by a keyed hash. Without the key nobody can test whether a name was in a log.
///
/// A name's replacement is BLAKE2b with 16 bytes of output, in hexadecimal digits. The hash's key
/// is BLAKE2b of the key file's bytes, with 32 bytes of output.
struct NameKey {
    /// The fewest and most bytes of a key file.
    static let fileBytes = 32...(64 * 1024)
    /// Keeps these hashes apart from other uses of the same key file; 16 bytes, as BLAKE2b wants it.
    private static let purpose = Array("settle anonymize".utf8)
    private static let hashBytes = 16
    private static let keyBytes = 32

    private let key: [UInt8]

    static func random() throws -> NameKey {
        // Opens the system's source of randomness.
        guard sodium_init() >= 0 else {
            throw Failure(code: .io, message: "no random key can be made: libsodium cannot be initialized")
        }
        var key = [UInt8](repeating: 0, count: keyBytes)
        randombytes_buf(&key, key.count)
        return NameKey(key: key)
    }

    private init(key: [UInt8]) { self.key = key }

    /// The key of a key file's bytes.
    init(ofFile bytes: [UInt8]) {
        var key = [UInt8](repeating: 0, count: Self.keyBytes)
        crypto_generichash_blake2b(&key, key.count, bytes, UInt64(bytes.count), nil, 0)
        self.key = key
    }

    /// What replaces a name: 32 hexadecimal digits.
    func replacement(of name: String) -> String {
        var hash = [UInt8](repeating: 0, count: Self.hashBytes)
        let name = Array(name.utf8)
        crypto_generichash_blake2b_salt_personal(
            &hash, hash.count, name, UInt64(name.count), key, key.count, nil, Self.purpose)
        var digits = [CChar](repeating: 0, count: 2 * hash.count + 1)
        sodium_bin2hex(&digits, digits.count, hash, hash.count)
        return String(decoding: digits.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Options {
    /// The key in the file that `--key` names, and the file's identity, so that no output replaces it.
    func nameKey() throws -> (key: NameKey, file: FileIdentity?)? {
        guard let path = value("key") else { return nil }
        let input = try ByteInput(path: path)
        try Outputs.checkStandardOutput(input.file)
        guard let bytes = try input.contents(atMost: NameKey.fileBytes.upperBound) else {
            throw Failure.usage(
                "--key: \(input.name) has more than \(NameKey.fileBytes.upperBound) bytes; \(Self.advice)")
        }
        guard bytes.count >= NameKey.fileBytes.lowerBound else {
            throw Failure.usage(
                "--key: \(input.name) has \(counted(bytes.count, "byte")), fewer than"
                    + " \(NameKey.fileBytes.lowerBound); \(Self.advice)")
        }
        // Zeros, for example. So few different ones do not occur in random bytes.
        guard Set(bytes).count >= 8 else {
            throw Failure.usage("--key: the bytes of \(input.name) are not random; \(Self.advice)")
        }
        return (NameKey(ofFile: bytes), input.file)
    }

    private static let advice = "make a key by: head -c 32 /dev/urandom >KEY"
}
