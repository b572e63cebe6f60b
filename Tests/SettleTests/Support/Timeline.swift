import Settle
import TestSupport
import XCTest

/// Runs a drawing of one scene and compares what was decided with what was drawn.
///
/// Each row is a name and a drawing of the same length; a column is a step of 10 ms
/// and a dot is nothing. Time advances to every column, so a deadline is seen in its
/// own column. The rows that happen:
///
///     button     v press, ^ release of the pointer's button, before the geometry
///     size       a letter for a size, 0 for 0×0, ? for NaN
///     flag       R resizing, r not resizing
///     lock       L locked, l not locked
///     call       f flush, c cancel, x built nothing, D disconnect, after the geometry
///
/// Size, flag and lock of one column are one event. The rows that are decided, of
/// which one that is not drawn must stay empty:
///
///     drag       ( began, ) ended reported, ^ released, ! timeout, D disconnected
///     rebuild    the letter of the size
///     preview    the letter of the size
///     locked     L or l
///
/// And the rows that are compared only when drawn:
///
///     reason     under a rebuild: e interactionEnded, d discrete, q quiet,
///                m maximumWait, t timeout, f flush, 1 first
///     pending    * while a rebuild deadline is armed, after the column's event
func timeline(
    _ policy: Policy, _ drawing: String, file: StaticString = #filePath, line: UInt = #line
) throws {
    var rows: [(name: String, cells: [Character])] = []
    for row in drawing.split(separator: "\n") {
        let parts = row.split(separator: " ")
        precondition(parts.count == 2, "a row is a name and a drawing: \(row)")
        rows.append((String(parts[0]), Array(parts[1])))
    }
    let steps = rows[0].cells.count
    let inputs = ["button", "size", "flag", "lock", "call"]
    let outputs = ["drag", "rebuild", "preview", "reason", "locked", "pending"]
    for row in rows {
        precondition(row.cells.count == steps, "\(row.name) is not as long as \(rows[0].name)")
        precondition((inputs + outputs).contains(row.name), "no row is called \(row.name)")
    }
    func cell(_ name: String, _ step: Int) -> Character? {
        guard let cell = rows.first(where: { $0.name == name })?.cells[step], cell != "." else { return nil }
        return cell
    }

    let engine = try CheckedEngine(policy, file: file, line: line)
    let scene = try engine.connect()
    var drawn = Dictionary(uniqueKeysWithValues: outputs.map { ($0, Array(repeating: Character("."), count: steps)) })
    func draw(_ character: Character, _ row: String, _ at: Int) {
        // Two decisions of one kind in one column cannot be drawn.
        drawn[row]![at] = drawn[row]![at] == "." ? character : "#"
    }

    for step in 0..<steps {
        let now = Timestamp.ms(10 * step)
        if let button = cell("button", step) {
            engine.submit(.pointer(button: 1, isPressed: button == "v", at: now))
        }
        let (size, flag, lock) = (cell("size", step), cell("flag", step), cell("lock", step))
        if size != nil || flag != nil || lock != nil {
            engine.submit(
                .geometry(
                    scene, at: now, size: size.map(drawnSize), isInteractivelyResizing: flag.map { $0 == "R" },
                    isInterfaceOrientationLocked: lock.map { $0 == "L" }))
        }
        if let call = cell("call", step) { engine.submit(drawnCall(call, scene, now)) }
        engine.advance(to: now)
        if engine.isPending(scene) { draw("*", "pending", step) }
    }
    for decision in engine.decisions {
        let step = Int(decision.at.nanoseconds / 10_000_000)
        for (row, character) in decision.drawing { draw(character, row, step) }
    }

    let optional = ["reason", "pending"]
    let compared = outputs.filter { output in
        rows.contains { $0.name == output } || !optional.contains(output)
    }
    let empty = String(repeating: ".", count: steps)
    let expected = compared.map { output in
        output + " " + (rows.first { $0.name == output }.map { String($0.cells) } ?? empty)
    }
    let actual = compared.map { "\($0) \(String(drawn[$0]!))" }
    XCTAssertEqual(
        actual, expected,
        "\ndecided\n\(actual.joined(separator: "\n"))\ndrawn\n\(expected.joined(separator: "\n"))",
        file: file, line: line)
}

/// The same with the policy `drawn`.
func timeline(_ drawing: String, file: StaticString = #filePath, line: UInt = #line) throws {
    try timeline(.drawn, drawing, file: file, line: line)
}

private func drawnSize(_ cell: Character) -> Size {
    switch cell {
    case "0": .zero
    case "?": Size(width: .nan, height: 100)
    default: .letter(cell)
    }
}

private func drawnCall(_ cell: Character, _ scene: SceneID, _ now: Timestamp) -> Event {
    switch cell {
    case "f": .flush(scene, at: now)
    case "c": .cancel(scene, at: now)
    case "x": .built(scene, size: nil, at: now)
    case "D": .disconnect(scene, at: now)
    default: preconditionFailure("no call is drawn as \(cell)")
    }
}

extension Decision {
    /// The rows and characters that draw it.
    fileprivate var drawing: [(String, Character)] {
        switch kind {
        case .interactionBegan: [("drag", "(")]
        case .interactionEnded(.reported, _): [("drag", ")")]
        case .interactionEnded(.released, _): [("drag", "^")]
        case .interactionEnded(.timeout, _): [("drag", "!")]
        case .interactionEnded(.disconnected, _): [("drag", "D")]
        case .lockChanged(let isLocked): [("locked", isLocked ? "L" : "l")]
        case .preview(let size): [("preview", size.letter)]
        case .rebuild(let rebuild): [("rebuild", rebuild.size.letter), ("reason", rebuild.reasonLetter)]
        }
    }
}

extension Size {
    fileprivate var letter: Character {
        Character(UnicodeScalar(UInt8(ascii: "a") + UInt8((width - 100) / 10)))
    }
}

extension Rebuild {
    fileprivate var reasonLetter: Character {
        switch reason {
        case .interactionEnded: "e"
        case .discrete: "d"
        case .quiet: "q"
        case .maximumWait: "m"
        case .timeout: "t"
        case .flush: "f"
        case .first: "1"
        case .live: "l"
        }
    }
}
