internal import Settle

/// Which scene an event's size is of: one for each of the browser's windows, and one for each other site in it. A frame of
/// another site that records as well states its own size, in a Meta event with its own address.
final class RrwebPages {
    private struct Page {
        /// The site of the first Meta event.
        var first: String
        /// The scene of the last one.
        var scene: String
    }

    private var pages: [String: Page] = [:]
    /// By hidden window, the last size that was left out, with its scene.
    private var hidden: [String: (scene: String, size: Size)?] = [:]
    private static let unnamed = "viewport"
    /// The most bytes of a window's name, or of a site.
    private static let partMax = 256

    private var hiddenSizes = 0

    var note: String? {
        hiddenSizes == 0
            ? nil
            : "Sizes of hidden pages (\(hiddenSizes)) were left out: 0×0, 1×1, and those between the custom events"
                + " `window hidden` and `window visible`."
    }

    /// The size that an event gives a scene; `nil` of another event, or if it is of a hidden page.
    ///
    /// - Parameter window: That of events that name none.
    /// - Throws: What is missing in the event.
    func size(
        by event: RrwebEvent, window: String?
    ) throws(JSONFault) -> (scene: String, size: Size, at: Timestamp)? {
        let window = event.window ?? window
        if let isHidden = event.isHidden, let at = event.at {
            return hide(isHidden, window: window).map { ($0.scene, $0.size, at) }
        }
        guard event.hasSize else { return nil }
        guard let width = event.data?.width, let height = event.data?.height else {
            throw JSONFault(problem: "a size event without \"width\" and \"height\"")
        }
        guard let at = event.at else { throw JSONFault(problem: "a size event without a usable \"timestamp\"") }
        let size = Size(width: width, height: height)
        let isNothing = width == height && (width == 0 || width == 1)
        let name = isNothing ? "" : scene(of: event, window: window)
        if isNothing || withhold(size, of: name, window: window) {
            hiddenSizes += 1
            return nil
        }
        return (name, size, at)
    }

    /// Notes that a window became hidden, or visible: then the size that it has is returned, with its scene.
    private func hide(_ isHidden: Bool, window: String?) -> (scene: String, size: Size)? {
        let base = Self.cut(window ?? Self.unnamed)
        if isHidden {
            if hidden[base] == nil { hidden[base] = .some(nil) }
            return nil
        }
        return hidden.removeValue(forKey: base) ?? nil
    }

    /// Leaves a size out if its window is hidden.
    private func withhold(_ size: Size, of scene: String, window: String?) -> Bool {
        let base = Self.cut(window ?? Self.unnamed)
        guard hidden[base] != nil else { return false }
        hidden[base] = (scene, size)
        return true
    }

    private func scene(of event: RrwebEvent, window: String?) -> String {
        let base = Self.cut(window ?? Self.unnamed)
        guard event.type == RrwebEvent.metaType, let site = event.data?.address.flatMap(Self.site) else {
            return pages[base]?.scene ?? base
        }
        let first = pages[base]?.first ?? site
        pages[base] = Page(first: first, scene: site == first ? base : "\(base) \(site)")
        return pages[base]!.scene
    }

    /// The scheme and the host of an address; `nil` without both.
    private static func site(_ address: String) -> String? {
        let parts = address.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return cut(String(Substring(parts[0])) + "//" + String(Substring(parts[2])))
    }

    private static func cut(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += scalar.utf8.count
            if count > partMax { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
