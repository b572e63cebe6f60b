import Settle
import XCTest

@testable import SettleDemo

final class PictureTests: XCTestCase {
    private let julia = JuliaPicture(cost: .milliseconds(1))

    private func picture(_ size: PixelSize, by julia: JuliaPicture? = nil, number: Int = 1) throws -> Picture {
        try XCTUnwrap((julia ?? self.julia).build(size, number: number).picture)
    }

    func testABuildThatIsGivenUpEndsAtItsNextRow() {
        var rows = 0
        let result = julia.build(PixelSize(width: 200, height: 150), number: 1) {
            rows += 1
            return rows == 3
        }
        XCTAssertNil(result.picture)
        XCTAssertEqual(rows, 3)
    }

    func testABuildDependsOnItsSizeAndNumberAlone() throws {
        let size = PixelSize(width: 200, height: 150)
        let first = try picture(size)
        XCTAssertEqual(first.size, size)
        XCTAssertEqual(first.pixels, try picture(size).pixels)
        XCTAssertNotEqual(first.pixels, try picture(size, number: 2).pixels)
        XCTAssertGreaterThan(Set(first.pixels).count, 50)
    }

    /// A first build above the policy's limit would keep all of a drag from being built live.
    func testBuildsStayWellBelowTheLimitOnAnyMachine() throws {
        guard case .run(let options) = try DemoOptions.parse([]) else { return XCTFail("prints") }
        let size = WindowLayout(options.size).pictureSize
        let limit = try XCTUnwrap(Policy.live.liveLimit)
        for oneSample in [0.01, 0.9, 2, 11, 19.9, 20.1, 74, 300].map({ Duration.milliseconds($0) }) {
            let picture = JuliaPicture(cost: options.cost, oneSample: oneSample)
            XCTAssertLessThanOrEqual(picture.typicalCost, options.cost, "\(oneSample)")
            let first = picture.typicalCost * (size.width * size.height) / (600 * 600)
            XCTAssertLessThan(first, limit / 2, "\(oneSample)")
        }
    }

    func testAPictureOfAGrainHasFewerColorsAndEachPixel() throws {
        let size = PixelSize(width: 101, height: 75)
        let fine = JuliaPicture(cost: .milliseconds(1), oneSample: .milliseconds(1))
        let coarse = JuliaPicture(cost: .milliseconds(1), oneSample: .milliseconds(9))
        XCTAssertEqual([fine.grain, coarse.grain], [1, 3])
        let (one, other) = (try picture(size, by: fine).pixels, try picture(size, by: coarse).pixels)
        // Behind the frame, and above the label.
        for y in 3..<5 { for x in 3..<90 { XCTAssertEqual(other[y * 101 + x], other[(y - y % 3) * 101 + x - x % 3]) } }
        XCTAssertNotEqual(one, other)
        for x in stride(from: 3, to: 90, by: 3) { XCTAssertEqual(one[3 * 101 + x], other[3 * 101 + x]) }
    }

    func testAllPartsHaveOneSizeAndStayInsideTheWindow() {
        for (width, scale) in (320...1240).map({ ($0, 1.0) }) + [(640, 2), (2481, 2), (481, 1.5)] {
            let layout = WindowLayout(PixelSize(width: width, height: Int(200 * scale)), scale: scale)
            XCTAssertEqual(Set(layout.pictures.map(\.size)).count, 1)
            for (left, right) in zip(layout.cards, layout.cards.dropFirst()) { XCTAssertLessThan(left.right, right.x) }
            XCTAssertLessThanOrEqual(layout.cards[2].right + layout.margin, width)
            for picture in layout.pictures { XCTAssertGreaterThan(picture.height, Int(80 * scale)) }
        }
    }

    /// Some compositors give sizes below a window's minimum.
    func testEvenATinyWindowIsDrawnInsideItsPixels() throws {
        for size in [
            PixelSize(width: 1, height: 1), PixelSize(width: 90, height: 700), PixelSize(width: 900, height: 20),
        ] {
            let layout = WindowLayout(size)
            XCTAssertGreaterThan(layout.pictureSize.width, 0)
            XCTAssertGreaterThan(layout.pictureSize.height, 0)
            let shown = try picture(layout.pictureSize)
            let part = PartView(
                name: "A", rules: ["b"], accent: 0, state: Part.State(shown: shown), now: .zero, isDragged: false,
                preparing: nil)
            let view = WindowView(
                title: "t", systems: ["s"], verdict: [Tally(), Tally(), Tally()], footer: "f", counter: "c",
                parts: [part, part, part], drawsFrame: true, scale: 1)
            // A guard of pixels before and after shows a write outside.
            let count = size.width * size.height
            var pixels = [UInt32](repeating: 0xABCD_EF01, count: count + 2000)
            pixels.withUnsafeMutableBufferPointer { view.draw(on: Canvas(pixels: $0.baseAddress! + 1000, size: size)) }
            XCTAssertTrue(pixels.prefix(1000).allSatisfy { $0 == 0xABCD_EF01 })
            XCTAssertTrue(pixels.suffix(1000).allSatisfy { $0 == 0xABCD_EF01 })
            XCTAssertFalse(pixels[1000..<1000 + count].contains(0xABCD_EF01))
        }
    }

    func testAPictureOfTheSameSizeIsCopiedAndAnotherStretched() {
        let picture = Picture(size: PixelSize(width: 2, height: 1), pixels: [0x111111, 0x222222])
        var pixels = [UInt32](repeating: 0, count: 8)
        pixels.withUnsafeMutableBufferPointer { buffer in
            let canvas = Canvas(pixels: buffer.baseAddress!, size: PixelSize(width: 4, height: 2))
            canvas.draw(picture, in: PixelRectangle(x: 0, y: 0, width: 4, height: 1))
            canvas.draw(picture, in: PixelRectangle(x: 1, y: 1, width: 2, height: 1))
        }
        XCTAssertEqual(pixels, [0x111111, 0x111111, 0x222222, 0x222222, 0, 0x111111, 0x222222, 0])
        // Cut at the left.
        pixels.withUnsafeMutableBufferPointer { buffer in
            let canvas = Canvas(pixels: buffer.baseAddress!, size: PixelSize(width: 4, height: 2))
            canvas.draw(picture, in: PixelRectangle(x: -1, y: 1, width: 2, height: 1))
        }
        XCTAssertEqual(Array(pixels[4...]), [0x222222, 0x111111, 0x222222, 0])
    }

    /// What does not fit on a canvas is what is missing, and nothing else moves.
    func testWhatIsCutAtAnEdgeIsAPartOfTheWhole() {
        let picture = Picture(size: PixelSize(width: 3, height: 2), pixels: [1, 2, 3, 4, 5, 6])
        func drawn(_ width: Int, x: Int, y: Int) -> [UInt32] {
            var pixels = [UInt32](repeating: 0, count: width * 9)
            pixels.withUnsafeMutableBufferPointer { buffer in
                let canvas = Canvas(pixels: buffer.baseAddress!, size: PixelSize(width: width, height: 9))
                let area = PixelRectangle(x: x, y: y, width: 7, height: 5)
                canvas.draw(picture, in: area)
                canvas.frame(area, 9)
            }
            return pixels
        }
        let whole = drawn(9, x: 1, y: 2)
        for (x, y) in [(-2, 2), (-4, -1), (4, 6), (1, 2)] {
            let part = drawn(9, x: x, y: y)
            for row in 0..<9 {
                for column in 0..<9 {
                    let (ownX, ownY) = (column - x + 1, row - y + 2)
                    let isInside = (1..<8).contains(ownX) && (2..<7).contains(ownY)
                    XCTAssertEqual(part[row * 9 + column], isInside ? whole[ownY * 9 + ownX] : 0, "\(x) \(y)")
                }
            }
        }
        XCTAssertEqual(
            Array(whole[18..<45]), [0, 9, 9, 9, 9, 9, 9, 9, 0, 0, 9, 1, 1, 2, 2, 3, 9, 0, 0, 9, 1, 1, 2, 2, 3, 9, 0])
    }

    func testLabelsHaveGlyphs() {
        let missing = Glyphs.glyph("\u{FFFD}", size: 2).coverage
        for character in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789×·:.,()% " {
            XCTAssertNotEqual(Glyphs.glyph(character, size: 2).coverage, missing, "\(character)")
        }
        for size in 1...9 { XCTAssertEqual(Glyphs.glyph("0", size: size).width, 5 * size) }
        XCTAssertEqual(Glyphs.glyph("☃", size: 2).coverage, missing)
    }

    func testDecimals() {
        XCTAssertEqual(decimal(.milliseconds(2960), of: .seconds(1), digits: 2), "2.96")
        XCTAssertEqual(decimal(.milliseconds(50), of: .seconds(1), digits: 2), "0.05")
        XCTAssertEqual(decimal(.microseconds(999_600), of: .milliseconds(1), digits: 0), "1000")
    }
}
