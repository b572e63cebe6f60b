import Foundation

/// Swift's and Foundation's arrays, sets and dictionaries, for what looks into values of
/// any type.
///
/// Linux's Foundation makes one of its own classes of a Swift container before it answers
/// `value is NSString`, and a set that holds others traps in it now and then. A
/// cast to a protocol makes nothing, so containers are recognized by this one first.
protocol StoredContainer {
    var content: StoredContent { get }
}

enum StoredContent {
    case array([Any])
    case set([Any])
    case dictionary([(key: Any, value: Any)])

    /// `nil` for a value that is no container.
    init?(_ value: Any) {
        guard let content = (value as? any StoredContainer)?.content else { return nil }
        self = content
    }

    /// What an `AnyHashable` is about.
    fileprivate static func base(_ value: Any) -> Any { (value as? AnyHashable)?.base ?? value }
}

extension Array: StoredContainer {
    var content: StoredContent { .array(map(StoredContent.base)) }
}

extension Set: StoredContainer {
    var content: StoredContent { .set(map(StoredContent.base)) }
}

extension Dictionary: StoredContainer {
    var content: StoredContent {
        .dictionary(map { (StoredContent.base($0.key), StoredContent.base($0.value)) })
    }
}

extension NSArray: StoredContainer {
    var content: StoredContent { .array(map { $0 }) }
}

extension NSSet: StoredContainer {
    var content: StoredContent { .set(map(StoredContent.base)) }
}

extension NSDictionary: StoredContainer {
    var content: StoredContent { .dictionary(map { (StoredContent.base($0.key), $0.value) }) }
}
