import Foundation

/// So many of `count` random cases are tried: a quarter, or all where `$SETTLE_LONG` is set, as in a night.
public func tried<Count: BinaryInteger>(_ count: Count) -> Count {
    ProcessInfo.processInfo.environment["SETTLE_LONG"] == nil ? count / 4 : count
}
