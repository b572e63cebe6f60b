/// A rectangle with its own coordinates, in points. Conversions assume that both spaces are
/// on the same screen.
@preconcurrency @MainActor public protocol UICoordinateSpace: AnyObject {
    /// The space in its own coordinates. The origin is zero.
    var bounds: CGRect { get }

    /// Converts a point of this space to another one.
    func convert(_ point: CGPoint, to coordinateSpace: any UICoordinateSpace) -> CGPoint
    /// Converts a point of another space to this one.
    func convert(_ point: CGPoint, from coordinateSpace: any UICoordinateSpace) -> CGPoint
    /// Converts a rectangle of this space to another one.
    func convert(_ rect: CGRect, to coordinateSpace: any UICoordinateSpace) -> CGRect
    /// Converts a rectangle of another space to this one.
    func convert(_ rect: CGRect, from coordinateSpace: any UICoordinateSpace) -> CGRect
}

/// A space that knows its position on its screen.
@MainActor protocol PlacedSpace: UICoordinateSpace {
    /// In points from the screen's top left corner.
    var originOnScreen: CGPoint { get }
}

// Between views, the methods of UIView with a `UIView?` are meant: an app may override those.
extension UICoordinateSpace {
    @_disfavoredOverload public func convert(_ point: CGPoint, to coordinateSpace: any UICoordinateSpace) -> CGPoint {
        let mine = (self as? any PlacedSpace)?.originOnScreen ?? .zero
        let theirs = (coordinateSpace as? any PlacedSpace)?.originOnScreen ?? .zero
        return CGPoint(x: point.x + mine.x - theirs.x, y: point.y + mine.y - theirs.y)
    }

    @_disfavoredOverload public func convert(_ point: CGPoint, from coordinateSpace: any UICoordinateSpace) -> CGPoint {
        coordinateSpace.convert(point, to: self)
    }

    @_disfavoredOverload public func convert(_ rect: CGRect, to coordinateSpace: any UICoordinateSpace) -> CGRect {
        CGRect(origin: convert(rect.origin, to: coordinateSpace), size: rect.size)
    }

    @_disfavoredOverload public func convert(_ rect: CGRect, from coordinateSpace: any UICoordinateSpace) -> CGRect {
        coordinateSpace.convert(rect, to: self)
    }
}
