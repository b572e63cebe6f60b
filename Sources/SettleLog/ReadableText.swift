internal import SettlePlatform

/// A number with a fixed number of decimals.
package func fixed(_ value: Double, _ decimals: Int) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
        _ = withVaList([Int32(decimals), value]) { vsnprintf(buffer.baseAddress, buffer.count, "%.*f", $0) }
        // A buffer with a capacity has an address.
        return String(cString: buffer.baseAddress!)
    }
}

/// A number with at most so many decimals: `20` rather than `20.0`.
package func short(_ value: Double, _ decimals: Int) -> String {
    var text = fixed(value, decimals)
    guard text.contains(".") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
}
