import XCTest

/// What is wrong with a case's text, or cannot be done.
struct CaseFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A case of `Tests/Cases/scenes`: its first line in words, then what is done, and after `=` what is to be found.
/// `Tests/Cases/scenes/README.md` has the language.
struct SceneCase {
    struct Line {
        let number: Int
        let isExpectation: Bool
        let parts: [String]
    }

    let title: String
    let number: Int
    private(set) var lines: [Line] = []

    /// The cases of a file; one with `each` is several.
    ///
    /// - Throws: `CaseFault` for a case that expects nothing, and for a value of an `each` that is not used.
    static func all(in text: String) throws -> [SceneCase] {
        var paragraphs: [[(number: Int, text: String)]] = [[]]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            if words.isEmpty {
                paragraphs.append([])
            } else if !line.hasPrefix("#") {
                // As in scripts, a # starts a comment at the start of a word.
                let text = words.prefix { !$0.hasPrefix("#") }.joined(separator: " ")
                let last = paragraphs.count - 1
                if text.hasPrefix("|"), !paragraphs[last].isEmpty {
                    // Another row of an `each`.
                    paragraphs[last][paragraphs[last].count - 1].text += ";" + text.dropFirst()
                } else {
                    paragraphs[last].append((index + 1, text))
                }
            }
        }
        return try paragraphs.filter { !$0.isEmpty }.flatMap(cases)
    }

    private static func cases(of paragraph: [(number: Int, text: String)]) throws -> [SceneCase] {
        let title = paragraph[0]
        func fault(_ text: String, at number: Int) -> CaseFault { CaseFault("line \(number): \(text)") }
        if title.text.contains(";") || title.text.hasPrefix("=") {
            throw fault("a case begins with a line in words, not: \(title.text)", at: title.number)
        }
        var variants: [[String: String]] = [[:]]
        for line in paragraph.dropFirst() where line.text.hasPrefix("each ") {
            let halves = line.text.dropFirst(5).split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else {
                throw fault("each NAME | NAME: VALUE | VALUE; VALUE | VALUE", at: line.number)
            }
            let names = list(halves[0], "|")
            let rows = list(halves[1], ";").map { list($0[...], "|") }
            guard rows.allSatisfy({ $0.count == names.count }) else {
                throw fault("each has \(names.count) values in a row", at: line.number)
            }
            variants = variants.flatMap { variant in
                rows.map { variant.merging(zip(names, $0)) { $1 } }
            }
        }
        return try variants.map { variant in
            let values = variant.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
            var unused = Set(variant.keys)
            var result = SceneCase(title: title.text + (values.isEmpty ? "" : " (\(values))"), number: title.number)
            for line in paragraph.dropFirst() where !line.text.hasPrefix("each ") {
                var text = line.text
                // The longest name first: another one may begin with it.
                for (name, value) in variant.sorted(by: { $0.key.count > $1.key.count }) {
                    if text.contains("$\(name)") { unused.remove(name) }
                    text = text.replacingOccurrences(of: "$\(name)", with: value)
                }
                if text.contains("$") { throw fault("nothing stands for the $ in: \(text)", at: line.number) }
                let isExpectation = text.hasPrefix("=")
                let parts = list(isExpectation ? text.dropFirst() : text[...], ";")
                result.lines.append(Line(number: line.number, isExpectation: isExpectation, parts: parts))
            }
            if let name = unused.min() { throw fault("$\(name) is not used", at: title.number) }
            guard result.lines.last?.isExpectation == true else {
                throw fault("a case ends with what it expects: \(title.text)", at: title.number)
            }
            return result
        }
    }

    private static func list(_ text: Substring, _ separator: Character) -> [String] {
        text.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Runs the case in a world of its own, or in one that is new.
    ///
    /// - Returns: What differs, and what could not be done, with their lines.
    @MainActor func run(in world: SceneWorld = SceneWorld()) -> [(number: Int, text: String)] {
        var faults: [(Int, String)] = []
        for line in lines {
            do {
                guard line.isExpectation else {
                    for part in line.parts { try world.act(part) }
                    continue
                }
                guard !line.parts.isEmpty else { throw CaseFault("nothing after the =") }
                let found = try line.parts.map { try world.find($0) }
                guard found != line.parts else { continue }
                let texts = [line.parts, found].map { $0.joined(separator: "; ") }
                faults.append((line.number, "\(title)\n  expected  \(texts[0])\n  actual    \(texts[1])"))
            } catch {
                faults.append((line.number, "\(title)\n  \(line.parts.joined(separator: "; ")): \(error)"))
                return faults
            }
        }
        return faults + world.unmetHooks.map { (number, "\(title)\n  on \($0): it has not happened") }
    }
}
