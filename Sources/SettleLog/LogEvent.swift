internal import CSettle
public import Settle

/// The number of a scene's name in one log.
///
/// A reader numbers the names of its log from 0 (`SceneNames`). The number means nothing to
/// an engine, whose scenes have handles (`SceneID`): `SceneBindings` maps one to the other.
public struct SceneNumber: RawRepresentable, Hashable, Sendable {
    /// From 0 to one less than `SceneNames.count`.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number as an index into arrays of one element per name.
    var index: Int { Int(rawValue) }

    init(_ index: Int) { rawValue = UInt32(index) }
}

/// One event of a log: its scene is the number of a name.
///
/// Only events that a log can hold exist as values of this type. Requests to an engine
/// (flush, cancel, built) do not.
public typealias LogEvent = SceneEvent<SceneNumber>

extension SceneNumber: EventScene {
    /// The kinds of events that a log holds, numbered as in `Event.Kind`.
    public enum EventKind: UInt16, Hashable, Sendable, CaseIterable {
        /// A scene's geometry: its size, flags and orientation.
        case geometry
        case connect
        case disconnect
        /// A pointer button goes down or up.
        case pointer
        /// The build of a rebuild is done.
        case finished = 7
        /// The work for a preview is done, or was given up.
        case previewed
    }
}

extension LogEvent {
    /// The log's event for an engine's.
    ///
    /// - Parameters:
    ///   - event: The engine's event.
    ///   - name: The number of the scene's name; unused for a pointer event.
    /// - Returns: `nil` for an event that no log holds: a request, or one of an unknown kind.
    public init?(_ event: Event, name: SceneNumber) {
        guard let kind = Kind(rawValue: event.raw.kind) else { return nil }
        self.init(event.raw)
        if kind != .pointer { self.name = name }
    }

    /// What happened.
    public var kind: Kind {
        guard let kind = Kind(rawValue: raw.kind) else {
            preconditionFailure("an event of kind \(raw.kind) is no event of a log")
        }
        return kind
    }

    /// The number of the scene's name; of no meaning for a pointer event.
    public var name: SceneNumber {
        get { SceneNumber(rawValue: raw.name) }
        set { raw.name = newValue.rawValue }
    }

    /// The event for an engine.
    ///
    /// - Parameter scene: The handle that stands for the event's name in that engine; unused
    ///   for a pointer event.
    public func event(for scene: SceneID) -> Event {
        var event = Event(raw)
        if kind != .pointer { event.scene = scene }
        return event
    }
}
