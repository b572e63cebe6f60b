import SettleLog

/// The names that replace a log's, under the same numbers.
struct NameReplacements {
    /// The replacements.
    let names = SceneNames()
    private let replacement: (String) -> String

    /// - Parameter replacement: What replaces a name.
    init(_ replacement: @escaping (String) -> String) { self.replacement = replacement }

    /// Adds the replacements of names that are new in a log.
    ///
    /// - Throws: `Failure` if two names have the same replacement: two scenes would become one.
    func extend(from originals: SceneNames) throws {
        while names.count < originals.count {
            let number = SceneNumber(rawValue: UInt32(names.count))
            guard names.number(of: replacement(originals[number])) == number else {
                throw Failure(
                    code: .io, message: "two scenes would get the same name; nothing is written, take another key")
            }
        }
    }
}
