/// Durations are encoded as whole nanoseconds.
extension KeyedDecodingContainer {
    /// A duration from zero to `most`, `nil` if the key is missing.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for one that is out of range.
    func decodeDurationIfPresent(forKey key: Key, upTo most: Duration) throws -> Duration? {
        guard let nanoseconds = try decodeIfPresent(Int64.self, forKey: key) else { return nil }
        let duration = Duration.nanoseconds(nanoseconds)
        guard duration >= .zero, duration <= most else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\(nanoseconds) ns; it must be from 0 to \(most.wholeNanoseconds) ns")
        }
        return duration
    }

    /// A duration from zero to `most`.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for one that is out of range, and `keyNotFound`.
    func decodeDuration(forKey key: Key, upTo most: Duration) throws -> Duration {
        if let duration = try decodeDurationIfPresent(forKey: key, upTo: most) { return duration }
        throw DecodingError.keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "no \(key.stringValue)"))
    }
}

extension KeyedEncodingContainer {
    /// Encodes a duration from zero to `most`. A fraction of a nanosecond is dropped.
    ///
    /// - Throws: `EncodingError.invalidValue` for one that is out of range.
    mutating func encodeDuration(_ duration: Duration, forKey key: Key, upTo most: Duration) throws {
        guard duration >= .zero, duration <= most else {
            throw EncodingError.invalidValue(
                duration,
                EncodingError.Context(
                    codingPath: codingPath + [key],
                    debugDescription: "it must be from 0 to \(most.wholeNanoseconds) ns"))
        }
        try encode(duration.wholeNanoseconds, forKey: key)
    }
}
