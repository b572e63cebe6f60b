import UIKit

/// What is expensive to make and depends on a column's width: the images of a message, each with a
/// chain of smaller copies.
@MainActor final class MessageImages {
    /// The largest width of an image, in points.
    static let widthMax: CGFloat = 672

    /// What the images show; `nil` for none.
    private var drawn: (message: Message, width: CGFloat)?
    private var levels: [[UInt32]] = []

    /// Draws a message's images, unless it has them in that width.
    ///
    /// - Parameters:
    ///   - width: In points.
    ///   - scale: Pixels per point.
    func draw(_ message: Message, width: CGFloat, scale: CGFloat) {
        if let drawn, drawn.message == message, drawn.width == width { return }
        drawn = (message, width)
        let pixels = Int(max(2, width * scale))
        let height = pixels * 2 / 3
        levels = (0..<message.imageCount).flatMap { index in
            MessageImages.copies(width: pixels, height: height, color: UInt32(index))
        }
        guard message.imageCount > 0 else { return }
        let megabytes = Int(Double(levels.reduce(0) { $0 + $1.count } * 4) / 1e6)
        say("draws the \(message.imageCount) images of \(message.subject), \(pixels)×\(height), \(megabytes) MB")
    }

    private static func copies(width: Int, height: Int, color: UInt32) -> [[UInt32]] {
        var (width, height) = (width, height)
        var copies: [[UInt32]] = []
        while true {
            copies.append([UInt32](repeating: color, count: width * height))
            if width == 1, height == 1 { return copies }
            (width, height) = (max(width / 2, 1), max(height / 2, 1))
        }
    }
}
