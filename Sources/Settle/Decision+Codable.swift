extension Decision: Codable {
    private enum CodingKeys: String, CodingKey {
        case at, scene, kind, reason, duration, rebuild, size, isLocked
    }

    private enum KindName: String, Codable {
        case interactionBegan, interactionEnded, rebuild, preview, lockChanged
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        at = try container.decode(Timestamp.self, forKey: .at)
        scene = try container.decode(SceneID.self, forKey: .scene)
        switch try container.decode(KindName.self, forKey: .kind) {
        case .interactionBegan: kind = .interactionBegan
        case .interactionEnded:
            kind = .interactionEnded(
                try container.decode(EndReason.self, forKey: .reason),
                duration: try container.decodeDuration(forKey: .duration, upTo: .most))
        case .rebuild: kind = .rebuild(try container.decode(Rebuild.self, forKey: .rebuild))
        case .preview: kind = .preview(try container.decode(Size.self, forKey: .size))
        case .lockChanged: kind = .lockChanged(isLocked: try container.decode(Bool.self, forKey: .isLocked))
        }
    }

    /// Writes the keys `at`, `scene` and `kind`, which is the kind's name, and for
    /// `interactionEnded` the keys `reason` and `duration` (whole nanoseconds), for `rebuild`
    /// the key `rebuild`, for `preview` the key `size`, for `lockChanged` the key `isLocked`.
    ///
    /// - Throws: `EncodingError.invalidValue` for a time after `Timestamp.latest` and for a
    ///   duration that is negative or longer than 2^63 − 1 ns, and what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(at, forKey: .at)
        try container.encode(scene, forKey: .scene)
        switch kind {
        case .interactionBegan: try container.encode(KindName.interactionBegan, forKey: .kind)
        case .interactionEnded(let reason, let duration):
            try container.encode(KindName.interactionEnded, forKey: .kind)
            try container.encode(reason, forKey: .reason)
            try container.encodeDuration(duration, forKey: .duration, upTo: .most)
        case .rebuild(let rebuild):
            try container.encode(KindName.rebuild, forKey: .kind)
            try container.encode(rebuild, forKey: .rebuild)
        case .preview(let size):
            try container.encode(KindName.preview, forKey: .kind)
            try container.encode(size, forKey: .size)
        case .lockChanged(let isLocked):
            try container.encode(KindName.lockChanged, forKey: .kind)
            try container.encode(isLocked, forKey: .isLocked)
        }
    }
}

extension Rebuild: Codable {
    private enum CodingKeys: String, CodingKey {
        case size, previousSize, reason, generation, coalescedEvents, interactionDuration
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Size.self, forKey: .size)
        previousSize = try container.decodeIfPresent(Size.self, forKey: .previousSize)
        reason = try container.decode(Reason.self, forKey: .reason)
        generation = try container.decodeIfPresent(UInt32.self, forKey: .generation) ?? 1
        coalescedEvents = try container.decodeIfPresent(UInt32.self, forKey: .coalescedEvents) ?? 1
        interactionDuration = try container.decodeDurationIfPresent(forKey: .interactionDuration, upTo: .most)
    }

    /// - Throws: `EncodingError.invalidValue` for an `interactionDuration` that is negative or
    ///   longer than 2^63 − 1 ns, and what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(previousSize, forKey: .previousSize)
        try container.encode(reason, forKey: .reason)
        try container.encode(generation, forKey: .generation)
        try container.encode(coalescedEvents, forKey: .coalescedEvents)
        if let interactionDuration {
            try container.encodeDuration(interactionDuration, forKey: .interactionDuration, upTo: .most)
        }
    }
}
