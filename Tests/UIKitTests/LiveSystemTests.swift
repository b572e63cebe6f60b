import Settle
import UIKit
import XCTest

/// The monotonic clock instead of virtual time.
@MainActor final class LiveSystemTests: XCTestCase {
    func testADeadlineWakesTheMainQueue() async throws {
        let app = try TestApp(policy: .fixed(.milliseconds(30)), clock: .monotonic).launched()
        var rebuilt: [Size] = []
        let decided = expectation(description: "a rebuild was decided")
        app.system.onDecision = { _, decision in
            guard case .rebuild(let rebuild) = decision.kind, rebuild.size.width == 640 else { return }
            rebuilt.append(rebuild.size)
            decided.fulfill()
        }
        try app.resize(640, 480)
        XCTAssertEqual(rebuilt, [], "not before its time")
        await fulfillment(of: [decided], timeout: 20)
        XCTAssertEqual(rebuilt, [Size(640, 480)])
    }

    func testAPostponedDeadlineWakesTheMainQueueAgain() async throws {
        let app = try TestApp(policy: .fixed(.milliseconds(30)), clock: .monotonic).launched()
        var rebuilt: [Size] = []
        let decided = expectation(description: "a rebuild was decided")
        app.system.onDecision = { _, decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            rebuilt.append(rebuild.size)
            if rebuild.size.width == 659 { decided.fulfill() }
        }
        for width in 640..<660 {
            try app.resize(CGFloat(width), 480)
            try await Task.sleep(for: .milliseconds(5))
        }
        await fulfillment(of: [decided], timeout: 20)
        XCTAssertEqual(rebuilt.last, Size(659, 480))
    }

    func testWhatOtherThreadsPostWhileTheMainThreadIsBusySharesACallback() async throws {
        let app = try TestApp(clock: .monotonic).launched()
        let system = app.system
        let identity = system.identity(of: app.scene)
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            for step in 1...500 {
                let size = Size(300 + Double(step), 400)
                system.post(
                    .geometry(identity, at: Timestamp(nanoseconds: 0), size: size, isInteractivelyResizing: true))
            }
            system.post(.geometry(identity, at: Timestamp(nanoseconds: 0), isInteractivelyResizing: false))
            sent.signal()
        }
        wait(for: sent)
        XCTAssertEqual(app.delegate.geometries.count, 1)
        let taken = expectation(description: "the main queue came round")
        DispatchQueue.main.async { taken.fulfill() }
        await fulfillment(of: [taken], timeout: 20)
        let delivered = app.delegate.geometries.dropFirst()
        XCTAssertEqual(delivered.count, 1)
        XCTAssertEqual(delivered.first?.current.coordinateSpace.bounds.size, CGSize(800, 400))
        XCTAssertEqual(app.delegate.rebuilds.count, 2)
    }

    func testAnEventOfTheFutureIsAppliedNow() async throws {
        let app = try TestApp(clock: .monotonic).launched()
        let system = app.system
        let identity = system.identity(of: app.scene)
        let start = system.now
        func event(_ width: Double) -> Event {
            .geometry(
                identity, at: start.advanced(by: .seconds(3600)), size: Size(width, 400),
                isInteractivelyResizing: true)
        }
        let ways: [(Event) -> Void] = [
            { system.post($0) }, { system.submit($0) },
            { event in [event].withUnsafeBufferPointer { system.submit(Span(_unsafeElements: $0)) } },
        ]
        for (index, way) in ways.enumerated() {
            way(event(Double(500 + index)))
            let taken = expectation(description: "the main queue came round")
            DispatchQueue.main.async { taken.fulfill() }
            await fulfillment(of: [taken], timeout: 20)
            XCTAssertEqual(app.scene.effectiveGeometry.coordinateSpace.bounds.width, CGFloat(500 + index))
            XCTAssertLessThan(start.duration(to: system.now), .seconds(1800), "way \(index) moved the time")
        }
        system.submit(.disconnect(identity, at: start.advanced(by: .seconds(3600))))
        XCTAssertEqual(system.scenes.count, 0)
        XCTAssertLessThan(start.duration(to: system.now), .seconds(1800))
    }

    func testInVirtualTimeAnEventMovesTheTime() async throws {
        let app = try TestApp().launched()
        let hour = app.system.now.advanced(by: .seconds(3600))
        app.system.submit(.geometry(app.system.identity(of: app.scene), at: hour, isInteractivelyResizing: true))
        XCTAssertEqual(app.system.now, hour)
    }

    /// A replay is in virtual time, whatever the host configured.
    func testAHostsConfigurationReplaysInVirtualTime() async throws {
        let app = try TestApp()
        let log = app.folder.file("log.jsonl")
        let lines = [
            #"{"settle":"events","version":1}"#, #"{"t_ns":5,"scene":"a","width":500,"height":400}"#,
            #"{"t_ns":7,"scene":"a","width":600,"height":400}"#,
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: log))
        UISystem.hostConfiguration = UISystem.Configuration(infoPlist: app.infoPlist, clock: .monotonic, log: { _ in })
        setenv("UIKIT_REPLAY", log, 1)
        defer {
            UISystem.hostConfiguration = nil
            unsetenv("UIKIT_REPLAY")
        }
        XCTAssertEqual(UIApplicationMain(0, nil, nil, "UIKitTests.PlainAppDelegate"), 0)
        let system = try XCTUnwrap(UISystem.current)
        XCTAssertFalse(system === app.system)
        XCTAssertEqual(system.configuration.clock, .virtual)
        XCTAssertEqual(system.now, Timestamp(nanoseconds: 7))
    }

    /// Keeps the main thread busy until the other has sent everything.
    private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    func testASystemGoesAwayWithAnArmedDeadline() async throws {
        weak var gone: UISystem?
        do {
            let app = try TestApp(policy: .default, clock: .monotonic).launched()
            try app.resize(640, 480)
            gone = app.system
        }
        _ = try TestApp()
        XCTAssertNil(gone, "the next system replaced it")
    }
}
