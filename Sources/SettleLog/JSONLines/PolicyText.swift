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
            let policy = try scanner.policy()
            guard scanner.isAtEnd else { throw JSONFault(problem: "something follows the policy's object") }
            return (policy, input.file)
        } catch {
            try refuseLog(input)
            throw LogError(.malformed, file: input.name, error.problem)
        }
    }

    /// Throws if an input that is no policy is a log.
    private static func refuseLog(_ input: ByteInput) throws(LogError) {
        guard let format = try LogFormat.detectContent(input) else { return }
        throw LogError(
            .malformed, file: input.name, "is a log (\(format)) and no policy; 'settle policy' writes one")
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
                policies.append(try scanner.policy())
            }
        } catch {
            try refuseLog(input)
            throw LogError(.malformed, file: input.name, at: .line(scanner.line), error.problem)
        }
        guard !policies.isEmpty else {
            throw LogError(.malformed, file: input.name, "there is no policy; 'settle policy' writes one")
        }
        return (policies, input.file)
    }

    /// The policy as one line of JSON, without a line break.
    package var jsonLine: String { "{" + members.joined(separator: ",") + "}" }

    /// The policy as JSON for a file, a duration a line, without the last line break.
    package var json: String { "{\n  " + members.joined(separator: ",\n  ") + "\n}" }

    private var members: [String] {
        texts.map { name, text in "\(JSONText.quoted(name)):\(text.map(JSONText.quoted) ?? "null")" }
    }
}
