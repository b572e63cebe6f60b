internal import CUnpack
internal import SettlePlatform

/// A compressed input: the bytes as they are stored, and what unpacks them.
struct Unpacking: ~Copyable {
    /// The most bytes that come out of an input, unless it says otherwise: a small file may unpack to more than any disk
    /// holds.
    package static let bytesMaxDefault: UInt64 = 8 << 30
    /// The bytes of one step.
    static let stepBytes = 1 << 18

    private let kind: unpack_kind
    private let bytesMax: UInt64
    private var unpacker: OpaquePointer?
    /// Bytes that are not unpacked yet.
    private var packed: [UInt8]
    private var place = 0
    private var made: UInt64 = 0
    private var isPackedEnd = false

    /// - Throws: `.io` if the library is not installed.
    init(
        _ kind: unpack_kind, _ packed: [UInt8], _ name: String, bytesMax: UInt64 = bytesMaxDefault
    ) throws(LogError) {
        self.kind = kind
        self.bytesMax = bytesMax
        self.packed = packed
        unpacker = unpack_open(kind)
        if unpacker == nil { throw Self.unavailable(kind, name) }
    }

    deinit { unpack_close(unpacker) }

    private static func unavailable(_ kind: unpack_kind, _ name: String) -> LogError {
        LogError(
            .io(code: ENOENT), file: name,
            "is compressed, and \(String(cString: unpack_library(kind))), which unpacks it, cannot be loaded; install"
                + " it, or unpack the file first")
    }

    /// Unpacks the next bytes into a buffer.
    ///
    /// - Parameter read: Reads more stored bytes; `nil` at their end.
    /// - Returns: How many bytes it wrote; 0 at the end.
    /// - Throws: `.truncated` if the stored bytes end too early, `.malformed` if they are damaged or become too
    ///   many, and what `read` throws.
    mutating func unpack(
        into buffer: UnsafeMutableRawBufferPointer, _ name: String, _ read: () throws(LogError) -> [UInt8]?
    ) throws(LogError) -> Int {
        while true {
            if place == packed.count, !isPackedEnd {
                packed = try read() ?? []
                place = 0
                isPackedEnd = packed.isEmpty
            }
            // Another part may follow one that is whole.
            if unpacker == nil {
                if place == packed.count { return 0 }
                unpacker = unpack_open(kind)
                if unpacker == nil { throw Self.unavailable(kind, name) }
            }
            var (used, written) = (0, 0)
            let result = packed.withUnsafeBufferPointer { bytes in
                unpack_run(
                    unpacker, bytes.baseAddress.map { $0 + place }, bytes.count - place, &used,
                    buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, &written)
            }
            place += used
            made += UInt64(written)
            if result == UNPACK_ENDED {
                unpack_close(unpacker)
                unpacker = nil
            }
            guard made <= bytesMax else {
                throw LogError(
                    .malformed, file: name, "it unpacks to more than \(bytesMax >> 20) MiB; unpack it first")
            }
            if written > 0 { return written }
            if result == UNPACK_DAMAGED {
                throw LogError(
                    .malformed, file: name, "the compressed file is damaged: what follows cannot be unpacked")
            }
            if result == UNPACK_NO_MEMORY {
                throw LogError(.io(code: ENOMEM), file: name, "there is no memory to unpack it; unpack it first")
            }
            if isPackedEnd, unpacker != nil, used == 0 {
                throw LogError(.truncated, file: name, "the compressed file is cut off")
            }
        }
    }
}
