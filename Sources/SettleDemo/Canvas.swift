/// A size or rectangle in whole pixels.
struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    var width: Int
    var height: Int

    var description: String { "\(width)x\(height)" }
}

struct PixelRectangle: Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var size: PixelSize { PixelSize(width: width, height: height) }
    var right: Int { x + width }
    var bottom: Int { y + height }

    func inset(by pixels: Int) -> PixelRectangle {
        PixelRectangle(x: x + pixels, y: y + pixels, width: width - 2 * pixels, height: height - 2 * pixels)
    }
}

/// A finished picture: 0x00RRGGBB for each pixel, in rows.
final class Picture: Sendable {
    let size: PixelSize
    let pixels: [UInt32]

    init(size: PixelSize, pixels: [UInt32]) {
        self.size = size
        self.pixels = pixels
    }
}

/// Draws into pixels that somebody else owns. Everything outside is left out.
struct Canvas {
    let pixels: UnsafeMutablePointer<UInt32>
    let size: PixelSize

    var bounds: PixelRectangle { PixelRectangle(x: 0, y: 0, width: size.width, height: size.height) }

    private func clipped(_ rectangle: PixelRectangle) -> (columns: Range<Int>, rows: Range<Int>) {
        let left = max(0, rectangle.x)
        let top = max(0, rectangle.y)
        return (
            left..<max(left, min(size.width, rectangle.right)), top..<max(top, min(size.height, rectangle.bottom))
        )
    }

    func fill(_ rectangle: PixelRectangle, _ color: UInt32) {
        let (columns, rows) = clipped(rectangle)
        for y in rows {
            (pixels + y * size.width + columns.lowerBound).update(repeating: color, count: columns.count)
        }
    }

    /// Mixes the color into what is there.
    ///
    /// - Parameter share: Of the color, in 256ths.
    func blend(_ rectangle: PixelRectangle, _ color: UInt32, share: UInt32) {
        let (columns, rows) = clipped(rectangle)
        for y in rows {
            for x in columns { blend(x, y, color, share) }
        }
    }

    func blend(_ x: Int, _ y: Int, _ color: UInt32, _ share: UInt32) {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return }
        let pixel = pixels + y * size.width + x
        pixel.pointee = mixed(pixel.pointee, color, share)
    }

    /// The border of a rectangle, one pixel wide.
    func frame(_ area: PixelRectangle, _ color: UInt32) {
        fill(PixelRectangle(x: area.x, y: area.y, width: area.width, height: 1), color)
        fill(PixelRectangle(x: area.x, y: area.bottom - 1, width: area.width, height: 1), color)
        fill(PixelRectangle(x: area.x, y: area.y, width: 1, height: area.height), color)
        fill(PixelRectangle(x: area.right - 1, y: area.y, width: 1, height: area.height), color)
    }

    /// Draws a line of text, and returns where it ends.
    ///
    /// - Parameters:
    ///   - x: The left end.
    ///   - y: The upper edge of the capitals, which are 7 × `size` pixels high.
    ///   - size: 1 or more.
    @discardableResult
    func text(_ line: String, x: Int, y: Int, size: Int, _ color: UInt32) -> Int {
        var x = x
        for character in line {
            let glyph = Glyphs.glyph(character, size: size)
            for row in 0..<glyph.height {
                for column in 0..<glyph.width {
                    let coverage = glyph.coverage[row * glyph.width + column]
                    if coverage > 0 { blend(x + column, y + row, color, UInt32(coverage) * 64) }
                }
            }
            x += glyph.width + size
        }
        return x - size
    }

    static func textWidth(_ line: String, size: Int) -> Int {
        line.reduce(-size) { $0 + Glyphs.glyph($1, size: size).width + size }
    }

    /// Draws a picture over the whole rectangle, stretched if it has another size.
    func draw(_ picture: Picture, in area: PixelRectangle) {
        let (columns, rows) = clipped(area)
        let sources = columns.map { ($0 - area.x) * picture.size.width / area.width }
        picture.pixels.withUnsafeBufferPointer { source in
            sources.withUnsafeBufferPointer { sources in
                for y in rows {
                    let sourceRow = (y - area.y) * picture.size.height / area.height * picture.size.width
                    let target = pixels + y * size.width + columns.lowerBound
                    if picture.size.width == area.width {
                        // A picture is never empty.
                        let first = source.baseAddress! + sourceRow + columns.lowerBound - area.x
                        target.update(from: first, count: columns.count)
                    } else {
                        for index in 0..<columns.count { target[index] = source[sourceRow + sources[index]] }
                    }
                }
            }
        }
    }
}

/// A color between two.
///
/// - Parameter share: Of the second, in 256ths.
func mixed(_ first: UInt32, _ second: UInt32, _ share: UInt32) -> UInt32 {
    // Red and blue do not reach each other's bits, so both are mixed at once.
    let redBlue = ((first & 0xFF00FF) * (256 - share) + (second & 0xFF00FF) * share) >> 8 & 0xFF00FF
    let green = ((first & 0xFF00) * (256 - share) + (second & 0xFF00) * share) >> 8 & 0xFF00
    return redBlue | green
}
