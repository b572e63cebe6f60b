/// The FNV-1a hash, which proves that two programs computed the same results.
public struct FNV1a: Sendable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Of bytes.
    public init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(UInt64(byte)) }
    }

    /// Of (stream, width, height) for each stream, a number at a time, as the C and node
    /// programs compute it.
    public init(sizes: some Sequence<(width: Double, height: Double)>) {
        for (stream, size) in sizes.enumerated() {
            add(UInt64(stream))
            add(UInt64(size.width))
            add(UInt64(size.height))
        }
    }

    public mutating func add(_ number: UInt64) { value = (value ^ number) &* 0x100_0000_01B3 }
}
