import Foundation

/// Numbers of what is found behind cases: a case says one thing, its number all that follows when its input is changed a
/// little. They are figures of this implementation, which find a change and do not say who is right. With AFTERMATH=write
/// in the environment they are written anew, with AFTERMATH=print the texts that they are made of are printed.
public struct Aftermath {
    /// FNV-1a, 32 bits.
    private var hash: UInt32 = 2_166_136_261
    private static let wish = ProcessInfo.processInfo.environment["AFTERMATH"]

    public init() {}

    public mutating func note(_ text: String) {
        if Self.wish == "print" { print(text) }
        var (text, hash) = (text, hash)
        text.withUTF8 { for byte in $0 { hash = (hash ^ UInt32(byte)) &* 16_777_619 } }
        self.hash = hash
    }

    public var number: String {
        String(repeating: "0", count: hash.leadingZeroBitCount / 4) + String(hash, radix: 16)
    }

    /// Each title whose number is not in the file, which begins the text; and whether the file has others.
    ///
    /// - Parameter isWhole: Whether these are all that the file has.
    public static func faults(
        _ numbers: [(number: String, title: String)], file: URL, isWhole: Bool = true
    ) throws -> [String] {
        let lines = numbers.map { "\($0.number) \($0.title)" }
        if wish == "print" { print(lines.joined(separator: "\n")) }
        if wish == "write" {
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        if wish != nil { return [] }
        return differences(lines, try String(contentsOf: file, encoding: .utf8), isWhole: isWhole)
    }

    /// The same of a file's text.
    package static func differences(_ lines: [String], _ text: String, isWhole: Bool) -> [String] {
        let before = text.split(separator: "\n").map(String.init)
        let changed = lines.filter { !before.contains($0) }.map {
            "\($0.drop { $0 != " " }.dropFirst()): what follows is not as before, or has no number; see Tests/Cases/README.md"
        }
        let isMore = isWhole && before.count != lines.count
        return changed + (isMore ? ["there are \(before.count) numbers for \(lines.count) titles"] : [])
    }
}
