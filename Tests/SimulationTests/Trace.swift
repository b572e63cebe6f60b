/// The trace of a run: a hash, so that runs can be compared, and lines if `isPrinted`.
struct Trace {
    /// FNV-1a over all labels and numbers.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var count = 0
    let isPrinted: Bool

    mutating func note(_ label: StaticString, _ numbers: UInt64..., text: @autoclosure () -> String = "") {
        count += 1
        for index in 0..<label.utf8CodeUnitCount { mix(UInt64(label.utf8Start[index])) }
        for number in numbers { mix(number) }
        if isPrinted { print("  \(count) \(label) \(numbers.map(String.init).joined(separator: " ")) \(text())") }
    }

    private mutating func mix(_ number: UInt64) {
        hash = (hash ^ number) &* 0x100_0000_01B3
    }
}
