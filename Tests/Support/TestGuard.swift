import CTestGuard
import XCTest

/// Names the test that runs to the guard process: it ends one that hangs, and what tests started.
private final class TestReporter: XCTestObservation {
    func testCaseWillStart(_ testCase: XCTestCase) { test_guard_starts(testCase.name) }
}

/// Called by the guard before any test runs.
@_cdecl("test_guard_observe")
func observeTests() { XCTestObservationCenter.shared.addTestObserver(TestReporter()) }
