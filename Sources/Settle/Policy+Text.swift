internal import CSettle

/// What is wrong with a policy that is given as text.
package struct PolicyFault: Error {
    /// The name that is wrong, or whose value is.
    package var name: String
    /// A sentence's end without a full stop that follows the name: `is '5'; …`.
    package var problem: String

    package init(name: String, problem: String) {
        self.name = name
        self.problem = problem
    }

    /// What the core says of a field.
    init(_ fault: Int32, of policy: settle_policy, _ field: Policy.Field, _ text: String = "") {
        let count = text.utf8.count
        name = field.name
        problem = String(unsafeUninitializedCapacity: count + 256) { problem in
            problem.withMemoryRebound(to: CChar.self) { problem in
                text.withCString { text in
                    withUnsafePointer(to: policy) {
                        settle_policy_explain(
                            fault, $0, field.number, text, count, problem.baseAddress, problem.count)
                    }
                }
            }
        }
    }
}

extension Policy {
    /// The properties' names, in the core's order.
    package static var names: [String] { fields.map(\.name) }

    /// What they are for, in that order.
    package static var meanings: [String] { fields.map(\.meaning) }

    /// The names of those that `nil` switches off.
    package static var limits: [String] { fields.filter(\.isLimit).map(\.name) }

    /// The names of those that are percentages.
    package static var percentages: [String] { fields.filter(\.isPercentage).map(\.name) }

    /// The word for a value that is `nil`, beside JSON's `null`.
    package static let noneText = "none"

    /// Each property's name and its text with a unit; `nil` for one that is off. `init` of the
    /// texts gives the same policy, in whole nanoseconds.
    package var texts: [(name: String, text: String?)] {
        Self.fields.map { field in (field.name, field.text(self)) }
    }

    /// The names of the values in which the policy differs from another.
    package func names(differingFrom other: Policy) -> [String] {
        Self.fields.compactMap {
            $0.duration(self) == $0.duration(other) && $0.number(self) == $0.number(other) ? nil : $0.name
        }
    }

    /// The duration of a name.
    private static func field(_ name: String) throws(PolicyFault) -> Field {
        if let field = fields.first(where: { $0.name == name }) { return field }
        let guess = closest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
        throw PolicyFault(name: name, problem: "is no duration of a policy\(guess)")
    }

    /// Sets one duration. Ranges are checked by `validateText`, once all are set.
    ///
    /// - Parameter text: A number with a unit; `none` or `nil` to switch it off.
    package mutating func set(_ name: String, to text: String?) throws(PolicyFault) {
        let field = try Self.field(name)
        var raw = settle_policy_default()
        let fault =
            text.map { settle_policy_set(&raw, field.number, $0, $0.utf8.count) }
            ?? settle_policy_set(&raw, field.number, nil, 0)
        guard fault == SETTLE_POLICY_FINE.rawValue else { throw PolicyFault(fault, of: raw, field, text ?? "") }
        field.set(&self, from: raw)
    }

    /// The same as `validate`, with durations as a policy's text has them.
    package func validateText() throws(PolicyFault) {
        for field in Self.fields {
            do { try field.check(self) } catch {
                if let duration = field.duration(self), duration < .zero {
                    throw PolicyFault(name: "a duration", problem: "is negative")
                }
                throw PolicyFault(Int32(SETTLE_POLICY_OUT_OF_RANGE.rawValue), of: clamped, field)
            }
        }
    }

    /// Checks the bounds of a server on a policy that its client asks for: each duration is at
    /// most `most` or the server's own, which may be none, and `interactionTimeout` is none only
    /// if the server's is.
    package func validate(upTo most: Duration, or server: Policy) throws(PolicyFault) {
        for field in Self.fields {
            guard let own = field.duration(server) else { continue }
            guard let duration = field.duration(self) else {
                if field.name != "interactionTimeout" { continue }
                throw PolicyFault(name: field.name, problem: "cannot be none; the server's is \(own.withUnit)")
            }
            let bound = max(most, own)
            if duration <= bound { continue }
            throw PolicyFault(
                name: field.name,
                problem: "is \(duration.withUnit); this server allows its clients at most \(bound.withUnit)")
        }
    }
}

extension Policy: Codable {
    /// Any key: an unknown one is an error, with a guess what was meant.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// - Throws: `DecodingError` for an unknown key, for a value that is neither a text with a
    ///   unit nor, where a duration can be `nil`, `null` or `"none"`, and for a duration that is
    ///   out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init()
        do {
            let keys = container.allKeys
            for key in keys {
                let isNull = try container.decodeNil(forKey: key)
                try set(key.stringValue, to: isNull ? nil : container.decode(String.self, forKey: key))
            }
            fitQuietTimes { name in keys.contains { $0.stringValue == name } }
            try validateText()
        } catch let fault as PolicyFault {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath + [Key(stringValue: fault.name)],
                    debugDescription: "\(fault.name) \(fault.problem)", underlyingError: fault))
        }
    }

    /// - Throws: `EncodingError.invalidValue` for a duration that is out of range, and what the
    ///   encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        do { try validateText() } catch {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: container.codingPath + [Key(stringValue: error.name)],
                    debugDescription: "\(error.name) \(error.problem)", underlyingError: error))
        }
        for (name, text) in texts {
            let key = Key(stringValue: name)
            if let text { try container.encode(text, forKey: key) } else { try container.encodeNil(forKey: key) }
        }
    }
}
