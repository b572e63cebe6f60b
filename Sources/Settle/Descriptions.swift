extension Event: CustomStringConvertible {
    /// For example `1.5 s: scene 1024 geometry 400×300, resizing`.
    public var description: String {
        if kind == .pointer { return "\(at): button \(button) \(isPressed ? "pressed" : "released")" }
        let name = kind.map { "\($0)" } ?? "unknown event"
        var states: [String] = []
        if let size, kind != .reallyBuilt || size.width != 0 && size.height != 0 {
            states.append("\(size)")
        } else if kind == .reallyBuilt {
            states.append("nothing")
        }
        if let build { states.append("rebuild \(build.generation) in \(build.cost.exactText)") }
        if let work {
            let end = work.isKept ? "in" : "given up after"
            states.append("preview \(work.generation) \(end) \(work.cost.exactText)")
        }
        if let isInteractivelyResizing { states.append(isInteractivelyResizing ? "resizing" : "not resizing") }
        if let isInterfaceOrientationLocked { states.append(isInterfaceOrientationLocked ? "locked" : "unlocked") }
        if let orientation { states.append("\(orientation)") }
        return "\(at): \(scene) \(name)" + (states.isEmpty ? "" : " " + states.joined(separator: ", "))
    }
}

extension Decision: CustomStringConvertible {
    /// For example `1.5 s: scene 1024 interaction began`.
    public var description: String { "\(at): \(scene) \(kind)" }
}

extension Decision.Kind: CustomStringConvertible {
    /// For example `interaction ended (released) after 1.2 s`.
    public var description: String {
        switch self {
        case .interactionBegan: "interaction began"
        case .interactionEnded(let reason, let duration): "interaction ended (\(reason)) after \(duration.exactText)"
        case .rebuild(let rebuild): "\(rebuild)"
        case .preview(let size, let generation): "preview \(generation) for \(size)"
        case .lockChanged(let isLocked): isLocked ? "locked" : "unlocked"
        }
    }
}

extension Rebuild: CustomStringConvertible {
    /// For example `rebuild 2 for 400×300 (quiet), before 200×100, 17 events`, and `, prepared` or `, feedback` where it is.
    public var description: String {
        let before = previousSize.map { ", before \($0)" } ?? ""
        let events = coalescedEvents == 1 ? "1 event" : "\(coalescedEvents) events"
        let states = (isPrepared ? ", prepared" : "") + (isFeedback ? ", feedback" : "")
        return "rebuild \(generation) for \(size) (\(reason))\(before), \(events)\(states)"
    }
}

extension Engine.Statistics: CustomStringConvertible {
    /// For example `20 events, 2 decisions, 1 scene, 0 rejected, 0 regressions`.
    public var description: String {
        "\(events) event\(events == 1 ? "" : "s"), \(decisions) decision\(decisions == 1 ? "" : "s"), "
            + "\(scenes) scene\(scenes == 1 ? "" : "s"), \(rejected) rejected, "
            + "\(regressions) regression\(regressions == 1 ? "" : "s")"
    }
}
