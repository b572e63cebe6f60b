public import Settle

/// What is known of a scene's geometry: the latest value of each property.
public struct LatestGeometry: Hashable, Sendable {
    /// The scene that it is about.
    public var scene: SceneID
    /// The time of the latest event that this value reflects.
    public var at: Timestamp
    /// In the producer's unit, `nil` until an event stated it.
    public var size: Size?
    /// Off until an event stated it.
    public var isInteractivelyResizing: Bool
    /// The raw lock value, before it is debounced; off until an event stated it.
    public var isInterfaceOrientationLocked: Bool
    /// `nil` until an event stated it.
    public var orientation: InterfaceOrientation?

    /// A geometry with these values, for tests and previews.
    public init(
        scene: SceneID, at: Timestamp, size: Size? = nil, isInteractivelyResizing: Bool = false,
        isInterfaceOrientationLocked: Bool = false, orientation: InterfaceOrientation? = nil
    ) {
        self.scene = scene
        self.at = at
        self.size = size
        self.isInteractivelyResizing = isInteractivelyResizing
        self.isInterfaceOrientationLocked = isInterfaceOrientationLocked
        self.orientation = orientation
    }
}

extension LatestGeometry {
    /// This geometry after an event, `nil` when the event is not valid (contract, rule 2).
    func applying(_ event: Event) -> LatestGeometry? {
        guard event.isValid else { return nil }
        var geometry = self
        geometry.at = event.at
        geometry.size = event.statedSize ?? size
        geometry.isInteractivelyResizing = event.isInteractivelyResizing ?? isInteractivelyResizing
        geometry.isInterfaceOrientationLocked = event.isInterfaceOrientationLocked ?? isInterfaceOrientationLocked
        geometry.orientation = event.orientation ?? orientation
        return geometry
    }

    /// True if nothing but the time differs.
    func isSame(as other: LatestGeometry) -> Bool {
        var other = other
        other.at = at
        return self == other
    }
}
