import Foundation
import XCTest

/// A value behind a mutex.
public final class Locked<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var stored: Value

    public init(_ value: Value) { stored = value }

    public var value: Value {
        condition.lock()
        defer { condition.unlock() }
        return stored
    }

    public func change(_ body: (inout Value) -> Void) {
        condition.lock()
        body(&stored)
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for a condition on the value. After ten seconds the test fails.
    public func wait(_ isEnough: (Value) -> Bool, file: StaticString = #filePath, line: UInt = #line) {
        let end = Date(timeIntervalSinceNow: 10)
        condition.lock()
        defer { condition.unlock() }
        while !isEnough(stored) {
            guard condition.wait(until: end) else {
                return XCTFail("waited in vain: \(stored)", file: file, line: line)
            }
        }
    }
}
