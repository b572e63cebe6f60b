import CTerminal
import XCTest

@testable import SettleSources

/// A program's output, taken apart: the kinds in their order, each sequence whole, what of it does not draw, and the modes
/// that are left. Wherever reads end, it is the same.
final class OutputScannerTests: XCTestCase {
    private func shown(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "␛").replacing("\u{7}", with: "␇")
            .replacing("\u{18}", with: "␘").replacing("\u{1A}", with: "␚")
    }

    /// - Parameter end: Where the first read ends.
    private func scanned(_ text: String, readTo end: Int) -> String {
        let kinds = ["", "…", "draws", "passes", "asks", "alternate", "main", "clears", "resets"]
        let scanner = UnsafeMutablePointer<output_scanner>.allocate(capacity: 1)
        defer { scanner.deallocate() }
        output_scanner_init(scanner)
        let bytes = Array(text.utf8)
        var (words, isText) = ([String](), false)
        for part in [bytes[..<end], bytes[end...]] {
            var rest = part
            while !rest.isEmpty {
                let count = rest.withUnsafeBufferPointer { output_scanner_next(scanner, $0.baseAddress, $0.count) }
                let piece = rest.prefix(count)
                rest = rest.dropFirst(count)
                let kind = Int(scanner.pointee.kind.rawValue)
                switch scanner.pointee.kind {
                case OUTPUT_PART: isText = false
                case OUTPUT_TEXT:
                    let more = shown(piece)
                    if isText { words[words.count - 1] += more } else { words.append("'" + more) }
                    isText = true
                default:
                    let sequence = UnsafeBufferPointer(
                        start: output_scanner_bytes(scanner), count: scanner.pointee.length)
                    let other = UnsafeBufferPointer(
                        start: output_scanner_rest(scanner), count: scanner.pointee.rest_length)
                    words.append("\(kinds[kind]) \(shown(sequence))" + (other.isEmpty ? "" : " and \(shown(other))"))
                    isText = false
                }
            }
        }
        let modes = scanner.pointee.modes
        let flags = [
            (modes.is_alternate, "alternate"), (modes.has_no_wrap, "no wrap"), (modes.has_origin, "origin"),
            (modes.has_insert, "insert"), (modes.is_shifted, "shifted"), (modes.hides_cursor, "hidden"),
            (modes.margin_top + modes.margin_bottom > 0, "margins \(modes.margin_top) \(modes.margin_bottom)"),
            (modes.charsets.0 != 66 || modes.charsets.1 != 66, "sets " + shown([modes.charsets.0, modes.charsets.1])),
            (scanner.pointee.synchronized_ends > 0, "ends \(scanner.pointee.synchronized_ends)"),
            (!output_scanner_is_between(scanner), "goes on"),
        ]
        return (words + flags.filter(\.0).map { "= " + $0.1 }).joined(separator: ", ")
    }

    func testEverySequence() {
        let escape = "\u{1B}"
        for (text, said) in [
            ("a␇b", "'a, passes ␇, 'b"),
            ("␛[1mx␛[c", "draws ␛[1m, 'x, passes ␛[c"),
            // A string that is cut by another sequence is none.
            ("␛]0;ti␛[1mx", "draws ␛[1m, 'x"), ("␛]0;ti␛c", "resets ␛c"), ("␛Pq␛␛]0;t␇", "passes ␛]0;t␇"),
            ("␛]0;ti␛\\x", "passes ␛]0;ti␛\\, 'x"), ("␛]0;ti␘x", "draws ␛]0;ti␘, 'x"),
            ("␛]0;ti␚x", "draws ␛]0;ti␚, 'x"),
            ("␛[3␛[4mx", "draws ␛[4m, 'x"), ("␛[3␘x", "draws ␛[3␘, 'x"), ("␛[3␚x", "draws ␛[3␚, 'x"),
            ("␛Ptmux;␛␛[6n␛\\x", "passes ␛Ptmux;␛␛[6n␛\\, 'x"),
            ("␛P1;2q#0␛\\", "draws ␛P1;2q#0␛\\"), ("␛P$qm␛\\", "passes ␛P$qm␛\\"), ("␛_Gq␛\\", "passes ␛_Gq␛\\"),
            ("␛]0;ti", "= goes on"), ("␛[", "= goes on"),
            // Several modes at once, of which some draw.
            ("␛[?1049;25l", "main ␛[?1049;25l, = hidden"), ("␛[?25;1049h", "alternate ␛[?25;1049h, = alternate"),
            ("␛[?1049;25h", "alternate ␛[?1049;25h, = alternate"),
            ("␛[?1049h␛[?47l", "alternate ␛[?1049h, main ␛[?47l"), ("␛[?1047h", "alternate ␛[?1047h, = alternate"),
            ("␛[?1004;2004h", "passes ␛[?1004;2004h"),
            ("␛[?7;1004;25;2004l", "draws ␛[?7;1004;25;2004l and ␛[?1004;2004l, = no wrap, = hidden"),
            ("␛[?7;1004l␛[?6h", "draws ␛[?7;1004l and ␛[?1004l, draws ␛[?6h, = no wrap, = origin"),
            ("␛[?7;1004l␛[1m␛[?1004h", "draws ␛[?7;1004l and ␛[?1004l, draws ␛[1m, passes ␛[?1004h, = no wrap"),
            ("␛[?7l␛[?7h", "draws ␛[?7l, draws ␛[?7h"),
            ("␛[?2026h␛[?2026l␛[?1;2026l", "draws ␛[?2026h, draws ␛[?2026l, draws ␛[?1;2026l and ␛[?1l, = ends 2"),
            ("␛[4h␛[20h", "draws ␛[4h, draws ␛[20h, = insert"), ("␛[20;4h␛[4l", "draws ␛[20;4h, draws ␛[4l"),
            ("␛[2h", "passes ␛[2h"),
            // Margins, of which one may be left out.
            ("␛[2;4r", "draws ␛[2;4r, = margins 2 4"), ("␛[2;4r␛[3r", "draws ␛[2;4r, draws ␛[3r, = margins 3 0"),
            ("␛[2;4r␛[;5r", "draws ␛[2;4r, draws ␛[;5r, = margins 0 5"), ("␛[2;4r␛[r", "draws ␛[2;4r, draws ␛[r"),
            ("␛(0␛)A", "draws ␛(0, draws ␛)A, = sets 0A"), ("a\u{E}b", "'a\u{E}b, = shifted"),
            ("a\u{E}b\u{F}", "'a\u{E}b\u{F}"),
            // A reset leaves the alternate screen alone if it is soft.
            (
                "␛[?1049;7l␛[?1049h␛[2;4r␛(0␛[?6h\u{E}␛[!p",
                "main ␛[?1049;7l, alternate ␛[?1049h, draws ␛[2;4r, draws ␛(0, draws ␛[?6h, '\u{E}, passes ␛[!p, = alternate"
            ),
            ("␛[?1049h␛[4h␛[?25l␛c", "alternate ␛[?1049h, draws ␛[4h, draws ␛[?25l, resets ␛c"),
            ("␛[6n␛[?6n␛[5n␛[?62n", "asks ␛[6n, asks ␛[?6n, passes ␛[5n, passes ␛[?62n"),
            ("␛[2J␛[1J␛[?2J␛[J", "clears ␛[2J, draws ␛[1J, draws ␛[?2J, draws ␛[J"),
            (
                "␛[2 q␛[2 @␛[?2026$p␛[4\"p␛[3\"q␛[18t␛[>1u",
                "passes ␛[2 q, draws ␛[2 @, passes ␛[?2026$p, passes ␛[4\"p, draws ␛[3\"q, passes ␛[18t, passes ␛[>1u"
            ),
            ("␛=␛>␛7␛8␛#8", "passes ␛=, passes ␛>, draws ␛7, draws ␛8, draws ␛#8"),
        ] {
            let text = text.replacing("␛", with: escape).replacing("␇", with: "\u{7}").replacing("␘", with: "\u{18}")
                .replacing("␚", with: "\u{1A}")
            for end in 0...text.utf8.count {
                XCTAssertEqual(scanned(text, readTo: end), said, "\(shown(text.utf8)) read to \(end)")
            }
        }
    }
}
