import Foundation

/// Whether this is a night's run, which tries more: `$SETTLE_LONG` is set.
public let isLong = ProcessInfo.processInfo.environment["SETTLE_LONG"] != nil

/// So many of `count` random cases are tried: a quarter, or all in a night.
public func tried<Count: BinaryInteger>(_ count: Count) -> Count {
    isLong ? count : count / 4
}
