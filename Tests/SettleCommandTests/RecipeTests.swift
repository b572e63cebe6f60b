import Foundation
import XCTest

/// The recipes of docs/internals/contributing.md name every source file that a change must touch.
///
/// Each recipe has an example that is already in the sources, such as the importer `xev`. The
/// source files that mention the example's names are exactly those that the recipe lists.
final class RecipeTests: XCTestCase {
    /// A section of the list of recipes.
    private struct Recipe {
        let title: String
        /// What the sources call the example.
        var names: [String] = []
        /// The files of the numbered lines, in order.
        var files: [String] = []
    }

    /// The recipes of a document: a `###` heading each, a line that begins with `Example:`, and
    /// numbered lines that begin with the paths of files.
    private static func recipes(in document: String) -> [Recipe] {
        var recipes: [Recipe] = []
        let section = document.components(separatedBy: "\n## Recipes\n").dropFirst().joined()
            .components(separatedBy: "\n## ")[0]
        for line in section.split(separator: "\n") {
            if line.hasPrefix("### ") {
                recipes.append(Recipe(title: String(line.dropFirst(4))))
            } else if recipes.isEmpty {
                continue
            } else if line.hasPrefix("Example:") {
                recipes[recipes.count - 1].names += quoted(line)
            } else if line.contains(#/^([0-9]+\.|  ) `\w+\//#) {
                recipes[recipes.count - 1].files += quoted(line.split(separator: ":")[0])
            }
        }
        return recipes
    }

    /// The text between each pair of backquotes.
    private static func quoted(_ line: Substring) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }

    /// What is wrong with a recipe.
    ///
    /// - Parameters:
    ///   - sources: The text of each source file by its path.
    ///   - exists: Whether there is a file at a path.
    private static func faults(
        _ recipe: Recipe, sources: [String: String], exists: (String) -> Bool
    ) -> [String] {
        let mentions = Set(
            sources.filter { source in
                // Xlib's type is not the program `xev`.
                let text = source.value.replacingOccurrences(of: "XEvent", with: "")
                return recipe.names.contains { text.range(of: $0, options: .caseInsensitive) != nil }
            }.keys)
        let missing = recipe.files.filter { !exists($0) }.map { "\($0) does not exist" }
        let unlisted = mentions.subtracting(recipe.files).sorted().map { "\($0) is not listed" }
        let unneeded = recipe.files.filter { sources[$0] != nil && !mentions.contains($0) }
            .map { "\($0) does not mention the example" }
        return missing + unlisted + unneeded
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// The Swift, C and JavaScript files of the libraries and programs, without the generated one.
    private static func sources() throws -> [String: String] {
        var sources: [String: String] = [:]
        for folder in ["Sources", "CSources"] {
            let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            while let file = files?.nextObject() as? String {
                guard file.contains(/\.(swift|c|h|mjs)$/) else { continue }
                let path = "\(folder)/\(file)"
                if path.hasPrefix("CSources/CGeneratedPage/") { continue }
                sources[path] = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            }
        }
        return sources
    }

    func testTheRecipesListEveryFileThatNamesTheirExamples() throws {
        let document = try String(
            contentsOf: Self.root.appendingPathComponent("docs/internals/contributing.md"), encoding: .utf8)
        let sources = try Self.sources()
        XCTAssertGreaterThan(sources.count, 100)
        XCTAssertTrue(sources.keys.contains("Sources/SettleReport/Page/policy.mjs"))
        let recipes = Self.recipes(in: document)
        XCTAssertEqual(
            recipes.map(\.title),
            ["An importer", "A live source", "A policy field", "A decision kind", "A scene case"])
        for recipe in recipes {
            XCTAssertFalse(recipe.names.isEmpty, recipe.title)
            XCTAssertGreaterThan(recipe.files.count, 3, recipe.title)
            XCTAssertEqual(Self.faults(recipe, sources: sources, exists: Self.exists), [], recipe.title)
        }
    }

    /// The commands of a document that belong to `scripts/restamp`.
    private static func separateCommands(in document: String, restamp: String) -> [String] {
        let commands = restamp.split(separator: "\n").filter { $0.contains(#/(^|&& |\|\| |^ +)part /#) }
            .flatMap { $0.matches(of: #/scripts\/[\w\/-]+/#).map { String($0.output) } }
        return Set(commands).filter { document.contains("run `\($0)") || document.contains("`\($0)` writes") }.sorted()
    }

    func testTheRecipesRegenerateByRestampAlone() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        }
        let restamp = try text("scripts/restamp")
        let document = try text("docs/internals/contributing.md")
        XCTAssertTrue(document.contains("Run `scripts/restamp`"))
        XCTAssertEqual(Self.separateCommands(in: document, restamp: restamp), [])
        XCTAssertEqual(
            Self.separateCommands(
                in: "1. `a.c`: and run `scripts/build-wasm`.\n`scripts/contract-drawings` writes the drawings.",
                restamp: restamp),
            ["scripts/build-wasm", "scripts/contract-drawings"])
    }

    func testAWrongRecipeIsReported() throws {
        let document = """
            # Made up
            ## Recipes
            Some text.

            ### A colour
            Example: `mauve`, `MAUVE_RGB`.
            1. `Sources/Palette.swift`: a case (see `Sources/Other.swift`).
            2. `Sources/Gone.swift`, `Sources/Plain.swift`: a row.

            ## Another section
            1. `Sources/Elsewhere.swift`: not of the recipe.
            """
        let recipes = Self.recipes(in: document)
        XCTAssertEqual(recipes.map(\.title), ["A colour"])
        let recipe = try XCTUnwrap(recipes.first)
        XCTAssertEqual(recipe.names, ["mauve", "MAUVE_RGB"])
        XCTAssertEqual(recipe.files, ["Sources/Palette.swift", "Sources/Gone.swift", "Sources/Plain.swift"])
        let sources = [
            "Sources/Palette.swift": "case mauve", "Sources/Plain.swift": "case grey",
            "Sources/Printer.swift": "if colour == MAUVE_RGB {}", "Sources/Unrelated.swift": "struct Ink {}",
        ]
        XCTAssertEqual(
            Self.faults(recipe, sources: sources, exists: { sources[$0] != nil }),
            [
                "Sources/Gone.swift does not exist", "Sources/Printer.swift is not listed",
                "Sources/Plain.swift does not mention the example",
            ])
    }
}
