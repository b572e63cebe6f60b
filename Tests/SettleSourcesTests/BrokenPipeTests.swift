import SettlePlatform
import XCTest

final class BrokenPipeTests: XCTestCase {
    private func isMember(_ read: (inout sigset_t) -> Void) -> Bool {
        var set = sigset_t()
        sigemptyset(&set)
        read(&set)
        return sigismember(&set, SIGPIPE) == 1
    }
    private var isBlocked: Bool { isMember { pthread_sigmask(SIG_BLOCK, nil, &$0) } }
    private var isPending: Bool { isMember { sigpending(&$0) } }

    func testAWriteToAClosedPipeIsAnErrorAndEndsNothing() {
        let former = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, former) }
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(pipe(&ends), 0)
        close(ends[0])
        defer { close(ends[1]) }
        for _ in 0..<2 {
            let code = withoutBrokenPipe { write(ends[1], "x", 1) < 0 ? errno : 0 }
            XCTAssertEqual(code, EPIPE)
            XCTAssertFalse(isBlocked)
            XCTAssertFalse(isPending)
        }
    }

    func testASignalThatWasPendingBeforeStays() {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        raise(SIGPIPE)
        withoutBrokenPipe {}
        XCTAssertTrue(isPending)
        XCTAssertTrue(isBlocked)
        var none = timespec()
        XCTAssertEqual(sigtimedwait(&mask, nil, &none), SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }
}
