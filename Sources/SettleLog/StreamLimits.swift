/// What one live stream may cost its reader, so that no writer takes more. A file that a
/// user names has wider bounds, those of the formats.
package enum StreamLimits {
    /// The longest line in bytes.
    package static let lineBytes = 1 << 16
    /// The largest binary chunk in bytes, and its most events. `BinaryWriter` puts 1,024
    /// events into a chunk.
    package static let chunkBytes = 1 << 17
    package static let chunkEvents = 1 << 12
    /// Different scenes, and the bytes of their names together.
    package static let scenes = 1 << 12
    package static let nameBytes = 1 << 17
    /// Bytes that are asked of the system at once.
    package static let readBytes = 1 << 15
}
