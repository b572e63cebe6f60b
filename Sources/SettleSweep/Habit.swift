internal import CSettle

/// What programs without an engine do about sizes, for comparison: they see nothing else.
public enum Habit: UInt32, Hashable, Sendable, CaseIterable {
    /// Every size, one build at a time.
    case everySize
    /// At once, and then every 50 ms while sizes change.
    case throttle
    /// 100 ms after the last change.
    case debounce
    /// Every size, until a build took more than 16 ms; then as `debounce`.
    case live

    /// Its name: `every size`, `throttle`, `debounce` or `live debounce`.
    public var name: String {
        switch self {
        case .everySize: "every size"
        case .throttle: "throttle"
        case .debounce: "debounce"
        case .live: "live debounce"
        }
    }
}
