package import Settle

extension Policy {
    /// The most bytes of a policy's file.
    package static let textBytesMax = 64 * 1024

    /// Reads a file with a policy: one JSON object, as `settle policy` writes it.
    ///
    /// - Parameter path: The file; `-` is standard input.
    /// - Returns: The policy, and the file's identity, so that no output replaces it.
    /// - Throws: `.malformed` for another content: the problem names the key; `.io` when the file
    ///   cannot be read.
    package static func read(path: String) throws(LogError) -> (policy: Policy, file: FileIdentity?) {
        let input = try ByteInput(path: path)
        guard try !input.require(textBytesMax + 1) else {
            throw LogError(.malformed, file: input.name, "is no policy: it is longer than \(textBytesMax) bytes")
        }
        do throws(JSONFault) {
            var scanner = JSONScanner(input.available)
            let policy = try Policy(&scanner)
            guard scanner.isAtEnd else { throw JSONFault(problem: "something follows the policy's object") }
            return (policy, input.file)
        } catch {
            throw LogError(.malformed, file: input.name, error.problem)
        }
    }

    /// The most bytes of a file with several policies.
    package static let listBytesMax = 64 << 20

    /// Reads a file with policies: objects as `settle policy` writes them, one after the other.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is standard input.
    ///   - most: The most policies.
    /// - Returns: The policies, and the file's identity, so that no output replaces it.
    /// - Throws: `.malformed` for another content, or for no or too many policies: the error has the
    ///   line, and its problem names the key; `.io` when the file cannot be read.
    package static func readList(path: String, most: Int) throws(LogError) -> (
        policies: [Policy], file: FileIdentity?
    ) {
        let input = try ByteInput(path: path)
        guard try !input.require(listBytesMax + 1) else {
            throw LogError(
                .malformed, file: input.name, "is no list of policies: it is longer than \(listBytesMax) bytes")
        }
        var scanner = JSONScanner(input.available)
        var policies: [Policy] = []
        do throws(JSONFault) {
            while !scanner.isAtEnd {
                if policies.count == most { throw JSONFault(problem: "there are more than \(most) policies") }
                policies.append(try Policy(&scanner))
            }
        } catch {
            throw LogError(.malformed, file: input.name, at: .line(scanner.line), error.problem)
        }
        guard !policies.isEmpty else {
            throw LogError(.malformed, file: input.name, "there is no policy; 'settle policy' writes one")
        }
        return (policies, input.file)
    }

    /// Reads the object that is next.
    package init(_ scanner: inout JSONScanner) throws(JSONFault) {
        self.init()
        var policy = self
        var seen: Set<String> = []
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw JSONFault(problem: #"a policy is an object, such as {"lockDelay":"100ms"}"#)
        }
        try scanner.members { scanner, key throws(JSONFault) in
            let name = String(decoding: key, as: UTF8.self)
            guard seen.insert(name).inserted else { throw JSONFault(problem: "\(name) is given twice") }
            try Self.explained { () throws(PolicyFault) in try Self.check(name: name) }
            let text = try Self.text(of: name, &scanner)
            try Self.explained { () throws(PolicyFault) in try policy.set(name, to: text) }
        }
        policy.fitQuietTimes(isGiven: seen.contains)
        try Self.explained { () throws(PolicyFault) in try policy.validateText() }
        self = policy
    }

    /// A duration's text, `nil` for `null`.
    private static func text(of name: String, _ scanner: inout JSONScanner) throws(JSONFault) -> String? {
        switch scanner.peek() {
        case UInt8(ascii: "\""): return try scanner.string()
        case UInt8(ascii: "n"):
            try scanner.skipValue()
            return nil
        default:
            throw JSONFault(problem: #"\#(name) must be a string with a unit, such as "50ms""#)
        }
    }

    private static func explained(_ body: () throws(PolicyFault) -> Void) throws(JSONFault) {
        do throws(PolicyFault) { try body() } catch { throw JSONFault(problem: "\(error.name) \(error.problem)") }
    }

    /// The policy as one line of JSON, without a line break.
    package var jsonLine: String { "{" + members.joined(separator: ",") + "}" }

    /// The policy as JSON for a file, a duration a line, without the last line break.
    package var json: String { "{\n  " + members.joined(separator: ",\n  ") + "\n}" }

    private var members: [String] {
        texts.map { name, text in "\(JSONText.quoted(name)):\(text.map(JSONText.quoted) ?? "null")" }
    }
}
