import Foundation
import XCTest

/// The module's public names are Apple's, or nested in `UISystem`, which is the host's.
///
/// `AppleNames.txt` lists every public name outside `UISystem`. A name is added once it
/// has been checked against Apple's documentation.
final class PublicNamesTests: XCTestCase {
    private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    func testEveryPublicNameIsApplesOrInUISystem() throws {
        let known = try knownNames()
        let found = try publicNames().all.filter { $0 != "UISystem" && !$0.hasPrefix("UISystem.") }
        XCTAssertEqual(
            found.subtracting(known).sorted(), [],
            "public, and not in AppleNames.txt: nest what is the host's in UISystem; list what is Apple's")
        XCTAssertEqual(known.subtracting(found).sorted(), [], "in AppleNames.txt, and not in the sources")
    }

    func testTheListBeginsAsApplesNamesDo() throws {
        for name in try knownNames() {
            XCTAssert(["UI", "NS", "CG", "UN", "CA", "Selector"].contains { name.hasPrefix($0) }, name)
        }
    }

    /// A scan that misses declarations would miss new names as well.
    func testTheScanSeesEveryKindOfDeclaration() {
        let source = """
            /// public class Comment
            @MainActor public protocol P: AnyObject {
                var a: Int { get }
                func b()
            }
            extension Outer {
                @preconcurrency @MainActor open class Inner: Base {
                    public private(set) weak var c: Int?
                    var hidden = 0
                    public nonisolated static let d = 1
                    public class var g: Int { 0 }
                    public static func + (a: Inner, b: Inner) -> Int { 0 }
                    open override func e(x: Int) { let local = 1 }
                    public required init?(coder: Int) {}
                }
                public enum Kind: Int {
                    case one = 1
                    case two, `three`
                }
                enum Hidden { case four }
                struct AlsoHidden {
                    public var f: Int
                }
            }
            public func G() {}
            """
        let expected = [
            "G", "Outer.Inner", "Outer.Inner.c", "Outer.Inner.d", "Outer.Inner.e", "Outer.Inner.g", "Outer.Inner.init",
            "Outer.Kind", "Outer.Kind.one", "Outer.Kind.three", "Outer.Kind.two", "P", "P.a", "P.b",
        ]
        XCTAssertEqual(PublicNames(source).all.sorted(), expected)
    }

    /// The names of `AppleNames.txt`, each once.
    private func knownNames() throws -> Set<String> {
        let text = try String(contentsOf: folder.appendingPathComponent("AppleNames.txt"), encoding: .utf8)
        var known: Set<String> = []
        func add(_ name: some StringProtocol) {
            XCTAssert(known.insert(String(name)).inserted, "\(name) stands twice in AppleNames.txt")
        }
        for entry in text.replacingOccurrences(of: "\n    ", with: " ").split(separator: "\n")
        where !entry.hasPrefix("#") {
            let parts = entry.split(separator: ":")
            let isOfAnotherModule = entry.hasPrefix("extension ")
            let type = parts[0].dropFirst(isOfAnotherModule ? "extension ".count : 0)
            // A nested type stands with what its outer type has.
            if !isOfAnotherModule, !type.contains(".") { add(type) }
            for member in parts.dropFirst().joined().split(separator: " ") { add("\(type).\(member)") }
        }
        return known
    }

    private func publicNames() throws -> PublicNames {
        let sources = folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/UIKit")
        let files = try XCTUnwrap(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var names = PublicNames("")
        for case let file as URL in files where file.pathExtension == "swift" {
            names.formUnion(PublicNames(try String(contentsOf: file, encoding: .utf8)))
        }
        return names
    }
}

/// The public names that a source file declares, with the types around them. It relies on
/// the project's format: four spaces per level, a declaration per line.
private struct PublicNames {
    private(set) var all: Set<String> = []

    /// A type or extension, and how far its content is indented.
    private struct Scope {
        let name: String
        let indent: Int
        let isVisible: Bool
        /// Members are as visible as the type: of a public protocol or enumeration's cases.
        let members: Members
    }

    private enum Members { case declared, requirements, cases }

    init(_ source: String) {
        var scopes: [Scope] = []
        for line in source.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            while let last = scopes.last, indent < last.indent { scopes.removeLast() }
            // A function's body declares no members.
            guard indent == scopes.last?.indent ?? 0 else { continue }
            let text = line.dropFirst(indent)
            if text.hasPrefix("//") || text.split(separator: " ").allSatisfy({ $0.hasPrefix("@") }) { continue }
            all.formUnion(read(text, indent, &scopes))
        }
    }

    mutating func formUnion(_ other: PublicNames) { all.formUnion(other.all) }

    /// The public names that a line declares. A type opens a scope.
    private func read(_ line: Substring, _ indent: Int, _ scopes: inout [Scope]) -> [String] {
        let words = line.split { " ".contains($0) }.map(String.init)
        let kinds = ["class", "struct", "enum", "protocol", "typealias", "extension", "func", "var", "let", "case"]
        let scope = scopes.last
        let prefix = scope.map { "\($0.name)." } ?? ""
        let isPublic = words.contains("public") || words.contains("open")
        if let start = words.firstIndex(where: { $0.hasPrefix("init(") || $0.hasPrefix("init?(") }),
            words[..<start].allSatisfy({ !kinds.contains($0) })
        {
            return isPublic && scope?.isVisible == true ? ["\(prefix)init"] : []
        }
        // A class's own members are `class var` and `class func`.
        let at = words.indices.dropLast().first { index in
            kinds.contains(words[index]) && !(words[index] == "class" && ["var", "func"].contains(words[index + 1]))
        }
        guard let at else { return [] }
        var declared: [String] = []
        let kind = words[at]
        let names =
            kind == "case" ? words[(at + 1)...].joined(separator: " ").components(separatedBy: ", ") : [words[at + 1]]
        for name in names.map({ $0.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } })
        {
            let isMember = scope?.isVisible ?? true
            let isDeclared =
                isPublic || (scope?.members == .requirements) || (scope?.members == .cases && kind == "case")
            let isVisible = isMember && isDeclared
            // An operator has no such name.
            if isVisible, kind != "extension", !name.isEmpty { declared.append(prefix + name) }
            guard ["class", "struct", "enum", "protocol", "extension"].contains(kind), line.hasSuffix("{") else {
                continue
            }
            scopes.append(
                Scope(
                    name: prefix + name, indent: indent + 4, isVisible: kind == "extension" || isVisible,
                    members: !isVisible
                        ? .declared : kind == "protocol" ? .requirements : kind == "enum" ? .cases : .declared
                ))
        }
        return declared
    }
}
