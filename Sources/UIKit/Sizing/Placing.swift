internal import Settle

/// Where windows lie on their screens. A person may put a window anywhere; where the
/// system places it, it lies within its screen.
extension UISystem {
    /// Puts a window where the host says. A frame that is not finite or has a negative
    /// side changes nothing.
    func put(_ scene: UIWindowScene, in frame: CGRect) {
        guard frame.isSound else { return }
        switch scene.sizing {
        case .window: scene.state.origin = frame.origin
        case .scaled: scene.show(in: CGRect(origin: frame.origin, size: scene.shownFrame.size))
        case .screen: break
        }
        apply(.geometry(scene.identity, at: now, size: Size(frame.size)), to: scene)
    }

    /// Places a scene whose screen is another one or was turned: what covered the screen
    /// covers it again, and a window lies within it.
    ///
    /// - Parameter before: What the scene's screen was.
    func fit(_ scene: UIWindowScene, after before: CGRect, turned orientation: UIInterfaceOrientation) {
        let bounds = scene.screen.bounds
        var frame = bounds
        switch scene.sizing {
        case .window:
            let old = CGRect(origin: scene.state.origin, size: scene.state.size)
            frame.size = old == before ? bounds.size : old.size.limited(to: bounds.size)
            if let restrictions = scene.sizeRestrictions {
                frame.size = restrictions.clamp(frame.size, on: bounds.size)
            }
            frame.origin = old == before ? bounds.origin : old.origin
            frame = frame.moved(into: bounds)
        case .scaled:
            let shown = scene.shownFrame
            let size = shown.size.limited(to: bounds.size)
            scene.show(in: shown == before ? bounds : CGRect(origin: shown.origin, size: size).moved(into: bounds))
        case .screen: break
        }
        scene.state.origin = frame.origin
        scene.state.orientation = orientation
        impose(
            .geometry(scene.identity, at: now, size: Size(frame.size), orientation: orientation.settled), on: scene)
    }
}

extension UIWindowScene {
    /// What the scene is shown in, on its screen, in points: the scene's own frame unless
    /// it is scaled.
    var shownFrame: CGRect {
        if case .window(let frame) = scaling { return frame }
        return CGRect(origin: state.origin, size: state.size)
    }

    /// Scales the scene into a frame, or not where that is the whole screen.
    func show(in frame: CGRect) {
        scaling = frame == screen.bounds ? .none : .window(frame)
    }

    /// Whether the scene's frame is the screen's.
    var coversScreen: Bool { shownFrame == screen.bounds }
}

extension CGRect {
    /// Whether a window can have the frame: finite, and no side negative.
    var isSound: Bool {
        let isFinite = origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
        return isFinite && size.width >= 0 && size.height >= 0
    }

    /// The frame moved by as little as brings it within the bounds, whose origin it gets
    /// where it is larger.
    func moved(into bounds: CGRect) -> CGRect {
        func moved(_ least: CGFloat, _ length: CGFloat, _ start: CGFloat, _ room: CGFloat) -> CGFloat {
            max(start, min(least, start + room - length))
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
