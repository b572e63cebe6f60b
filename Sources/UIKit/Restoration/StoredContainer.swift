import Foundation

/// Swift's and Foundation's arrays, sets and dictionaries, for code that inspects values of
/// any type.
///
/// Linux's Foundation bridges a Swift container to one of its own classes to evaluate
/// `value is NSString`, and for a set of sets that traps now and then. A cast to a protocol
/// does not bridge, so containers are recognized by this protocol first.
protocol StoredContainer {
    var content: StoredContent { get }
}

enum StoredContent {
    case array([Any])
    case set([Any])
    case dictionary([(key: Any, value: Any)])

    /// `nil` for a value that is not a container.
    init?(_ value: Any) {
        guard let content = (value as? any StoredContainer)?.content else { return nil }
        self = content
    }

    /// The value in an `AnyHashable`.
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
