internal import Settle

/// The screens' places and how they are turned.
struct X11Screens {
    /// A screen that is on, in pixels from the root's corner, as it is turned.
    struct Screen: Hashable {
        var x: Int32
        var y: Int32
        var width: UInt32
        var height: UInt32
        /// RandR's: 1, 2, 4 and 8 for 0°, 90°, 180° and 270° counterclockwise; it may have further
        /// bits for mirroring.
        var rotation: UInt16

        /// The orientation of what is on the screen.
        ///
        /// X knows panels and not devices. So a panel that is wider than high is landscape, and
        /// `landscapeLeft` unturned; any other is `portrait` unturned. Each quarter turn is the
        /// next of portrait, landscapeLeft, portraitUpsideDown, landscapeRight.
        var orientation: InterfaceOrientation? {
            let turns: [InterfaceOrientation] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]
            guard let quarters = [1, 2, 4, 8].firstIndex(of: rotation & 15) else { return nil }
            let isOnItsSide = quarters % 2 == 1
            let isLandscapePanel = isOnItsSide ? height >= width : width >= height
            return turns[(quarters + (isLandscapePanel ? 1 : 0)) % 4]
        }

        func contains(x: Int64, y: Int64) -> Bool {
            x >= Int64(self.x) && y >= Int64(self.y) && x < Int64(self.x) + Int64(width)
                && y < Int64(self.y) + Int64(height)
        }
    }

    private var screens: [Screen] = []
    /// Those of an answer that is not complete.
    private var answered: [Screen] = []

    /// Takes a screen of an answer.
    ///
    /// - Returns: Whether the answer is complete, and differs from the one before.
    mutating func add(_ screen: Screen, isLast: Bool) -> Bool {
        if screen.width > 0, screen.height > 0 { answered.append(screen) }
        guard isLast else { return false }
        let isNew = answered != screens
        screens = answered
        answered = []
        return isNew
    }

    /// The orientation of the only screen, or of the one with a window's centre; `nil` if there
    /// is none.
    func orientation(x: Int32, y: Int32, width: UInt32, height: UInt32) -> InterfaceOrientation? {
        if screens.count == 1 { return screens[0].orientation }
        let (centreX, centreY) = (Int64(x) + Int64(width) / 2, Int64(y) + Int64(height) / 2)
        return screens.first { $0.contains(x: centreX, y: centreY) }?.orientation
    }
}
