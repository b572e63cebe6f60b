internal import CPlatform

/// Forces a file's bytes onto the disk.
///
/// - Returns: 0, or -1 with `errno`.
package func synchronizeData(_ descriptor: Int32) -> Int32 { settle_sync_data(descriptor) }
