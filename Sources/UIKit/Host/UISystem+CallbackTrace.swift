internal import Settle

extension UISystem {
    /// Prints a line per delegate callback: the time, the scene, the method, what changed.
    ///
    /// Times count from the first callback of a scene. A scene has the name that the replayed
    /// log gives it, else one by its role. Lines are written with `print`, so that the app's
    /// own output appears below the callback that prints it.
    @MainActor final class CallbackTrace {
        /// How the sizes in the middle of an interactive resize are printed.
        enum Style: String, CaseIterable {
            /// One line per callback.
            case full
            /// One line for all consecutive ones.
            case brief
        }

        private let style: Style
        private let print: (String) -> Void
        private var start: Timestamp?
        private var labels: [String: String] = [:]
        private var labelCounts: [String: Int] = [:]
        /// Sizes that `brief` has not printed yet: their number, the first and the last.
        private var folded: (count: Int, first: Callback, last: Callback)?

        init(_ style: Style, print: @escaping (String) -> Void = { Swift.print($0) }) {
            self.style = style
            self.print = print
        }

        /// Prints a system's callbacks from now on.
        func attach(to system: UISystem) {
            system.onCallback = { [self] in write($0) }
        }

        func write(_ callback: Callback) {
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

        /// Prints something that happens between callbacks, such as a line of a script.
        func note(_ text: String) {
            flush()
            print("> \(text)")
        }

        /// Prints the folded sizes. Call it at the end.
        func flush() {
            guard let (count, first, last) = folded else { return }
            folded = nil
            if count == 1 { return print(line(first, first.detail)) }
            let sizes = [first.geometries?.previous, last.geometries?.current].compactMap { $0?.state.size.text }
            print(line(last, "\(count) sizes, \(sizes.joined(separator: " → ")), resizing"))
        }

        private func line(_ callback: Callback, _ detail: String) -> String {
            let label = callback.session.map(label) ?? "app"
            let words = "\(time(callback.at)) s  \(padded(label, 9)) \(padded(callback.name, 28))\(detail)"
            return String(words.reversed().drop { $0 == " " }.reversed())
        }

        /// Seconds with three decimals, truncated.
        private func time(_ moment: Timestamp) -> String {
            let milliseconds = max(0, Int(moment.nanoseconds) - Int((start ?? moment).nanoseconds)) / 1_000_000
            let decimals = String(1000 + milliseconds % 1000).dropFirst()
            let text = "\(milliseconds / 1000).\(decimals)"
            return String(repeating: " ", count: max(0, 9 - text.count)) + text
        }

        private func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }

        /// A generated identifier is replaced by `window` or `display`, with a number from the
        /// second on.
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
}

extension UISystem.Callback {
    /// Whether only the size changes, within an interactive resize.
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
