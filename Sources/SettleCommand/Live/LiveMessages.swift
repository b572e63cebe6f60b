/// What is shown while windows are watched.
protocol LiveView: AnyObject {
    func say(_ text: String)
}

/// The messages of a live run: printed at once, or shown in its table and printed when that is gone.
struct LiveMessages {
    private let view: (any LiveView)?
    private let offer: (String) -> Void
    /// What the table has shown, the last of it.
    private(set) var shown: [String] = []
    private static let shownMax = 100

    init(_ view: (any LiveView)?, offer: @escaping (String) -> Void = Terminal.offer) {
        (self.view, self.offer) = (view, offer)
    }

    mutating func say(_ message: String) {
        guard let view else { return offer("settle: \(message)") }
        view.say(message)
        if shown.count == Self.shownMax { shown.removeFirst() }
        shown.append(message)
    }
}
