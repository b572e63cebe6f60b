import Foundation

extension Recordings {
    /// The case files of a layer of Tests/Cases.
    public static func cases(of layer: String) throws -> [URL] {
        let folder = folder.deletingLastPathComponent().appending(path: "Cases/\(layer)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return files.filter { $0.pathExtension == "cases" }.sorted { $0.path < $1.path }
    }
}

/// The cases of a layer of Tests/Cases, whose README.md describes them, that are inputs with their answers.
public struct CasePair: Sendable {
    public let place: String
    public let input: String
    /// `=`, `~` or `!`.
    public let sign: Character
    public let answer: String

    public static func all(of layer: String) throws -> [CasePair] {
        try Recordings.cases(of: layer).flatMap { file in
            try pairs(of: String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        }
    }

    private static func pairs(of text: String, file: String) -> [CasePair] {
        var (pairs, inputs, name): ([CasePair], [String], String?) = ([], [], nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) where line.first != "#" {
            guard let first = line.first else {
                name = nil
                continue
            }
            if name == nil {
                name = String(line)
                continue
            }
            var answer = "=~!".contains(first) ? line : nil
            if answer == nil {
                let end = line.firstRange(of: #/  [=~!](?= |$)/#)
                answer = end.map { line[line.index($0.lowerBound, offsetBy: 2)...] }
                inputs.append(controlCharacters(in: end.map { line[..<$0.lowerBound] } ?? line))
            }
            guard let answer else { continue }
            pairs += inputs.map {
                CasePair(
                    place: "\(file): \(name!): \($0)", input: $0, sign: answer.first!,
                    answer: String(answer.dropFirst(2)))
            }
            inputs = []
        }
        return pairs
    }

    /// A text with control characters and spaces in place of their pictures, U+2401 to U+2420.
    public static func controlCharacters(in text: some StringProtocol) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    (0x2401...0x2420).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value - 0x2400)) : scalar
                }))
    }
}
