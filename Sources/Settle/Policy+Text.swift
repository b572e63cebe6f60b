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
        name = field.name
        problem = Self.sentence(atMost: text.utf8.count + 256) { problem, capacity in
            withUnsafePointer(to: policy) {
                settle_policy_explain(fault, $0, field.number, text, text.utf8.count, problem, capacity)
            }
        }
    }

    /// What the core says of a name that no field has.
    init(unknown name: String) {
        self.name = name
        problem = Self.sentence(atMost: 256) { problem, capacity in
            settle_policy_explain_name(name, name.utf8.count, problem, capacity)
        }
    }

    private static func sentence(atMost count: Int, _ write: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> String {
        String(unsafeUninitializedCapacity: count) { text in
            text.withMemoryRebound(to: CChar.self) { write($0.baseAddress, $0.count) }
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

    /// A policy with other values, which cross into the core's form once: each is set, and then all
    /// ranges are checked.
    ///
    /// - Parameters:
    ///   - base: The values that no text gives.
    ///   - texts: Names of properties with what they are set to: a number with a unit; `none` or `nil` to switch it
    ///     off.
    package init(_ base: Policy = .default, texts: [(name: String, text: String?)]) throws(PolicyFault) {
        var (raw, number) = (base.clamped, 0 as UInt32)
        for (name, text) in texts {
            number = settle_policy_find(name, name.utf8.count)
            guard number != SETTLE_POLICY_NO_FIELD else { throw PolicyFault(unknown: name) }
            let fault = settle_policy_set(&raw, number, text, text?.utf8.count ?? 0)
            guard fault == SETTLE_POLICY_FINE.rawValue else {
                throw PolicyFault(fault, of: raw, Self.fields[Int(number)], text ?? "")
            }
        }
        let fault = settle_policy_check(&raw, &number)
        guard fault == SETTLE_POLICY_FINE.rawValue else {
            throw PolicyFault(fault, of: raw, Self.fields[Int(number)])
        }
        self.init(raw)
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
        do {
            try self.init(
                texts: container.allKeys.map { key in
                    let isNull = try container.decodeNil(forKey: key)
                    return (key.stringValue, isNull ? nil : try container.decode(String.self, forKey: key))
                })
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
