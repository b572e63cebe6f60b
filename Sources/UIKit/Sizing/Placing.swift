internal import Settle

/// Where windows are on their screens. A person may put a window anywhere; where the system
/// places it, it lies within its screen.
extension Displays {
    /// Places a window where the host says. A frame that is not finite or has a negative
    /// side changes nothing.
    func setFrame(_ frame: CGRect, of scene: UIWindowScene) {
        guard frame.isUsable else { return }
        switch scene.sizing {
        case .window: scene.pending.origin = frame.origin
        case .scaled: scene.scale(into: CGRect(origin: frame.origin, size: scene.visibleFrame.size))
        case .screen: break
        }
        apply(.geometry(scene.identity, at: engine.now, size: Size(frame.size)), to: scene)
    }

    /// Places a scene after its screen was replaced or rotated: a scene that covered the
    /// screen covers it again, and a window lies within it.
    ///
    /// - Parameter oldBounds: The bounds that the scene's screen had.
    func refit(_ scene: UIWindowScene, from oldBounds: CGRect, orientation: UIInterfaceOrientation) {
        let bounds = scene.screen.bounds
        var frame = bounds
        switch scene.sizing {
        case .window:
            let old = CGRect(origin: scene.pending.origin, size: scene.pending.size)
            frame.size = old == oldBounds ? bounds.size : old.size.limited(to: bounds.size)
            if let restrictions = scene.sizeRestrictions {
                frame.size = restrictions.clamp(frame.size, on: bounds.size)
            }
            frame.origin = old == oldBounds ? bounds.origin : old.origin
            frame = frame.moved(into: bounds)
        case .scaled:
            let old = scene.visibleFrame
            let size = old.size.limited(to: bounds.size)
            scene.scale(into: old == oldBounds ? bounds : CGRect(origin: old.origin, size: size).moved(into: bounds))
        case .screen: break
        }
        setGeometry(of: scene, frame, orientation: orientation)
    }
}

extension UIWindowScene {
    /// What the scene covers of its screen, in points: its own frame unless it is scaled.
    var visibleFrame: CGRect {
        if case .window(let frame) = scaling { return frame }
        return CGRect(origin: pending.origin, size: pending.size)
    }

    /// Scales the scene into a frame, or not if that is the whole screen.
    func scale(into frame: CGRect) {
        scaling = frame == screen.bounds ? .none : .window(frame)
    }

    var coversScreen: Bool {
        let (frame, bounds) = (visibleFrame, screen.bounds)
        // Number by number: this runs for each event, and CGRect's == is a call of Foundation.
        return frame.size.width == bounds.size.width && frame.size.height == bounds.size.height
            && frame.origin.x == bounds.origin.x && frame.origin.y == bounds.origin.y
    }
}

extension CGRect {
    /// Whether a window can have the frame: it is finite, and no side is negative.
    var isUsable: Bool {
        let isFinite = origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
        return isFinite && size.width >= 0 && size.height >= 0
    }

    /// The frame, moved as little as possible so that it lies within the bounds. A frame
    /// that is larger gets their origin.
    func moved(into bounds: CGRect) -> CGRect {
        func moved(_ start: CGFloat, _ length: CGFloat, _ boundsStart: CGFloat, _ boundsLength: CGFloat) -> CGFloat {
            max(boundsStart, min(start, boundsStart + boundsLength - length))
        }
        let x = moved(origin.x, size.width, bounds.origin.x, bounds.size.width)
        let y = moved(origin.y, size.height, bounds.origin.y, bounds.size.height)
        return CGRect(origin: CGPoint(x: x, y: y), size: size)
    }
}

extension CGSize {
    fileprivate func limited(to size: CGSize) -> CGSize {
        CGSize(width: min(width, size.width), height: min(height, size.height))
    }
}
