internal import CPlatform

/// The value of an environment variable; `nil` if it is absent or empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// How many descriptors the process may have open.
package var descriptorLimit: Int { Int(clamping: settle_descriptor_limit()) }
