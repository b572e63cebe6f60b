/// The buttons that are held on all master pointers.
///
/// Two pointers may hold buttons of the same number, which in a log are one: it is pressed with
/// the first, and released with the last.
struct X11Buttons {
    /// A button of one pointer.
    struct Button: Hashable {
        var device: UInt16
        var number: UInt32
    }

    /// A press or release to report.
    struct Change: Hashable {
        var number: UInt32
        var isPressed: Bool
    }

    private var held: Set<Button> = []

    /// Takes a press or release. A press of what is held already, such as one that happened
    /// while the server was asked what is held, changes nothing.
    ///
    /// - Returns: What to report, `nil` for nothing.
    mutating func change(_ button: Button, isPressed: Bool) -> Change? {
        // These are a wheel's steps, each a press and a release.
        if (4...7).contains(button.number) { return nil }
        let wasHeld = isHeld(button.number)
        if isPressed { held.insert(button) } else { held.remove(button) }
        let isHeld = isHeld(button.number)
        return isHeld == wasHeld ? nil : Change(number: button.number, isPressed: isHeld)
    }

    /// Takes the server's word for which buttons are held: those of a pointer that was removed
    /// are never released.
    ///
    /// - Returns: What to report: presses first, so that a change of hands is no end.
    mutating func set(_ buttons: some Sequence<Button>) -> [Change] {
        let now = Set(buttons)
        let order: (Button, Button) -> Bool = { ($0.number, $0.device) < ($1.number, $1.device) }
        let pressed = now.subtracting(held).sorted(by: order)
        let released = held.subtracting(now).sorted(by: order)
        return pressed.compactMap { change($0, isPressed: true) } + released.compactMap { change($0, isPressed: false) }
    }

    private func isHeld(_ number: UInt32) -> Bool { held.contains { $0.number == number } }
}
