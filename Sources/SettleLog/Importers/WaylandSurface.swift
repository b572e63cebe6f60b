internal import Settle

/// What a client chooses for a surface: the state that is double-buffered, and true only from `wl_surface.commit` on.
struct WaylandContent {
    /// Of the surface's xdg_surface.
    var geometry: Size?
    /// In pixels; `nil` if no buffer is attached, or one whose beginning is not in the log.
    var buffer: Size?
    var isMapped = false
    var scale = 1.0
    /// Whether the buffer's width is the surface's height.
    var isTurned = false
    /// Of the surface's viewport.
    var destination: Size?
    var source: Size?
    /// What a layer's surface asks for; a side of 0 is left to the compositor.
    var requested: Size?

    /// The surface's size, as far as the log shows it.
    var size: Size? {
        if let size = destination ?? source { return size }
        guard let buffer else { return nil }
        let (width, height) = isTurned ? (buffer.height, buffer.width) : (buffer.width, buffer.height)
        return Size(width: width / scale, height: height / scale)
    }
}

/// A wl_surface; or, where the log does not show which one belongs to an xdg_surface, that one.
struct WaylandSurface {
    enum Role {
        case none
        /// An xdg_surface, of which no window is known.
        case base(UInt64)
        case window(UInt64)
        /// A popup, a part of another surface, a cursor.
        case other
    }

    var role = Role.none
    /// Whether only its being alone says whose it is.
    var isGuess = false
    /// What the next commit makes true.
    var pending = WaylandContent()
    var current = WaylandContent()
}
