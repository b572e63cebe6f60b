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

    /// The places of those titles whose numbers are not the file's.
    public static func changed(_ numbers: [(number: String, title: String)], file: URL) throws -> [Int] {
        let lines = numbers.map { "\($0.number) \($0.title)" }
        if wish == "write" {
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            return []
        }
        if wish == "print" { print(lines.joined(separator: "\n")) }
        let before = Set(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
        return wish == nil ? lines.indices.filter { !before.contains(lines[$0]) } : []
    }
}
