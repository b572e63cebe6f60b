internal import Settle

/// Prints what an app hears, a line a callback: the time, the scene, the method, what
/// changed.
///
/// Times count from the first callback of a scene. A scene is called as the replayed log
/// calls it, else by its role. Lines go to standard output by the same way as `print`, so
/// that what the app prints stands below the callback in which it does.
@MainActor final class CallbackTrace {
    /// What becomes of the sizes in the middle of an interactive resize.
    enum Style: String, CaseIterable {
        /// A line for each.
        case full
        /// One line for all that stand in a row.
        case brief
    }

    private let style: Style
    private let print: (String) -> Void
    private var start: Timestamp?
    private var labels: [String: String] = [:]
    private var labelCounts: [String: Int] = [:]
    /// Sizes that `brief` has not printed yet: how many, the first and the last.
    private var folded: (count: Int, first: UICallback, last: UICallback)?

    init(_ style: Style, print: @escaping (String) -> Void = { Swift.print($0) }) {
        self.style = style
        self.print = print
    }

    /// Prints what a system announces from now on.
    func follow(_ system: UISystem) {
        system.onCallback = { [self] in write($0) }
    }

    func write(_ callback: UICallback) {
        if start == nil, callback.session != nil { start = callback.at }
        if style == .brief, callback.isWithinResize {
            if let known = folded, known.first.session === callback.session {
                folded = (known.count + 1, known.first, callback)
                return
            }
            flush()
            folded = (1, callback, callback)
            return
        }
        flush()
        print(line(callback, callback.detail))
    }

    /// Something else that happens, such as a line of a script.
    func say(_ text: String) {
        flush()
        print("> \(text)")
    }

    /// Prints what was folded. To be called at the end.
    func flush() {
        guard let (count, first, last) = folded else { return }
        folded = nil
        if count == 1 { return print(line(first, first.detail)) }
        let sizes = [first.geometries?.previous, last.geometries?.current].compactMap { $0?.bounds.size.text }
        print(line(last, "\(count) sizes, \(sizes.joined(separator: " → ")), resizing"))
    }

    private func line(_ callback: UICallback, _ detail: String) -> String {
        let label = callback.session.map(label) ?? "app"
        let words = "\(time(callback.at)) s  \(padded(label, 9)) \(padded(callback.name, 28))\(detail)"
        return String(words.reversed().drop { $0 == " " }.reversed())
    }

    /// Seconds with three decimals, cut off.
    private func time(_ moment: Timestamp) -> String {
        let milliseconds = max(0, Int(moment.nanoseconds) - Int((start ?? moment).nanoseconds)) / 1_000_000
        let decimals = String(1000 + milliseconds % 1000).dropFirst()
        let text = "\(milliseconds / 1000).\(decimals)"
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// Identifiers that the system made up say nothing to people.
    private func label(_ session: UISceneSession) -> String {
        let identifier = session.persistentIdentifier
        if let known = labels[identifier] { return known }
        var label = identifier
        if UUID(uuidString: identifier) != nil {
            label = session.role == .windowExternalDisplayNonInteractive ? "display" : "window"
            labelCounts[label, default: 0] += 1
            if let count = labelCounts[label], count > 1 { label += " \(count)" }
        }
        labels[identifier] = label
        return label
    }
}

extension UICallback {
    /// Only a size, between a resize's beginning and its end.
    @MainActor fileprivate var isWithinResize: Bool {
        guard let (previous, current) = geometries else { return false }
        var state = previous.state
        state.size = current.state.size
        return state.isInteractivelyResizing && state == current.state
    }
}

extension CGSize {
    fileprivate var text: String {
        Size(self).description
    }
}
