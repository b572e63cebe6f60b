import UIKit

/// What is expensive to make and depends on the scene's size: road, sky and dashboard, each
/// with a chain of smaller copies for distant objects.
@MainActor final class Textures {
    /// The size for which the textures were made; zero for none.
    private(set) var size = CGSize.zero
    private var levels: [[UInt32]] = []

    /// Makes the textures for a scene's geometry, unless the scene is being resized or the
    /// textures have its size.
    func update(for geometry: UIWindowScene.Geometry) {
        let sceneSize = geometry.coordinateSpace.bounds.size
        guard !geometry.isInteractivelyResizing, sceneSize != size, sceneSize != .zero else { return }
        size = sceneSize
        levels = ["road", "sky", "dashboard"].enumerated().flatMap { index, _ in
            Textures.copies(width: Int(sceneSize.width), height: Int(sceneSize.height), color: UInt32(index))
        }
        let megabytes = Double(levels.reduce(0) { $0 + $1.count } * 4) / 1e6
        say("paints \(levels.count) textures for \(Int(size.width))×\(Int(size.height)), \(Int(megabytes)) MB")
    }

    /// The largest side of a texture, as GPUs have one; larger ones are stretched.
    private static let sideMax = 4096

    private static func copies(width: Int, height: Int, color: UInt32) -> [[UInt32]] {
        var (width, height) = (min(max(width, 1), sideMax), min(max(height, 1), sideMax))
        var copies: [[UInt32]] = []
        while true {
            copies.append([UInt32](repeating: color, count: width * height))
            if width == 1, height == 1 { return copies }
            (width, height) = (max(width / 2, 1), max(height / 2, 1))
        }
    }
}
