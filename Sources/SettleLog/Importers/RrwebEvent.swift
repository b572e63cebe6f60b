internal import Settle

/// The keys of an rrweb event that are used. Other keys may have any value.
struct RrwebEvent: Decodable {
    static let incrementalType = 3
    static let metaType = 4
    static let customType = 5
    static let viewportResizeSource = 4

    struct Payload: Decodable {
        fileprivate let source: Int?
        let width: Double?
        let height: Double?

        /// The page's address, in Meta events.
        let address: String?
        /// What a custom event is.
        let tag: String?

        private enum Key: String, CodingKey {
            case source, width, height, tag
            case address = "href"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            source = try? fields.decode(Int.self, forKey: .source)
            address = try? fields.decode(String.self, forKey: .address)
            tag = try? fields.decode(String.self, forKey: .tag)
            width = try? fields.decode(Double.self, forKey: .width)
            height = try? fields.decode(Double.self, forKey: .height)
        }
    }

    let type: Int
    let data: Payload?
    let timestampMilliseconds: Double?
    /// The browser's window.
    let window: String?

    private enum Key: String, CodingKey {
        case type, data, windowId
        case otherWindowId = "window_id"
        case timestampMilliseconds = "timestamp"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        type = try fields.decode(Int.self, forKey: .type)
        data = try? fields.decode(Payload.self, forKey: .data)
        window =
            (try? fields.decode(String.self, forKey: .windowId))
            ?? (try? fields.decode(String.self, forKey: .otherWindowId))
        timestampMilliseconds = try? fields.decode(Double.self, forKey: .timestampMilliseconds)
    }

    var hasSize: Bool {
        type == Self.metaType || type == Self.incrementalType && data?.source == Self.viewportResizeSource
    }

    /// Whether the page became hidden, or visible; `nil` of another event. rrweb itself does not record that, but PostHog's
    /// recorder adds it (`_onVisibilityChange` in its lazy-loaded-session-recorder.ts).
    var isHidden: Bool? {
        guard type == Self.customType else { return nil }
        return data?.tag == "window hidden" ? true : data?.tag == "window visible" ? false : nil
    }

    /// The time; `nil` if it is missing or out of range. Whole milliseconds are exact, a
    /// fraction is rounded to nanoseconds.
    var at: Timestamp? {
        guard let timestampMilliseconds, timestampMilliseconds >= 0, timestampMilliseconds <= 9e12 else { return nil }
        let whole = timestampMilliseconds.rounded(.down)
        let fractionNanoseconds = ((timestampMilliseconds - whole) * 1e6).rounded()
        return Timestamp(nanoseconds: UInt64(whole) * 1_000_000 + UInt64(fractionNanoseconds))
    }
}
