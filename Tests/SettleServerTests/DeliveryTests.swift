import Foundation
import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

private func decision(_ client: Int) -> StreamDecision {
    StreamDecision(
        client: client, scene: "a", decision: Decision(at: .zero, scene: SceneID(rawValue: 1), kind: .interactionBegan))
}

/// The threads of a server: who waits for whom, and until when.
final class DeliveryTests: XCTestCase {
    /// Clients whose queues are full wait for the same condition: each goes on as soon as its own
    /// queue is taken, whoever began to wait first.
    func testOfManyClientsThatWaitTheOneWhoseQueueIsTakenGoesOn() throws {
        let clients = 8
        let handled = Locked<[Int]>([])
        let released = Locked(0)
        let delivery = DecisionDelivery { decision in
            handled.change { $0.append(decision.client) }
            // Before the first decision of all, and before each queue's first.
            released.wait { $0 > decision.client || $0 > clients }
        }
        try delivery.start()
        let queues = (0...clients).map { _ in DecisionDelivery.Queue(delivery) }
        queues[0].enqueue(decision(0))
        handled.wait { $0 == [0] }
        for client in 1...clients {
            for _ in 0..<DecisionDelivery.waitingMax { queues[client].enqueue(decision(client)) }
        }
        XCTAssertEqual(delivery.waiting, clients * DecisionDelivery.waitingMax)
        // The client whose queue is taken last waits first.
        let (waiting, wentOn) = (Locked(0), Locked<[Int]>([]))
        let threads = try (1...clients).reversed().map { client in
            let thread = try WorkerThread {
                waiting.change { $0 += 1 }
                queues[client].enqueue(decision(client))
                wentOn.change { $0.append(client) }
            }
            waiting.wait { $0 == clients + 1 - client }
            usleep(2_000)
            return thread
        }
        XCTAssertEqual(wentOn.value, [])
        for client in 1...clients {
            released.change { $0 = client }
            handled.wait { $0.last == client }
            // The handler has the first of its queue, and has not returned.
            wentOn.wait { $0 == Array(1...client) }
        }
        released.change { $0 = clients + 1 }
        for thread in threads { thread.join() }
        delivery.finish()
        XCTAssertEqual(handled.value.count, 1 + clients * (DecisionDelivery.waitingMax + 1))
    }

    /// `stop` returns after the acceptor's last report: a report after it could use what is gone.
    func testStopWaitsForTheThreadThatAcceptsClients() throws {
        let folder = TemporaryFolder()
        let path = folder.file("s")
        let (order, isRefusing) = (Locked<[String]>([]), Locked(false))
        let server = try StreamServer(
            .init(path: path, clientsMax: 1),
            report: { report in
                // A refusal is the acceptor's.
                guard case .refused = report.change else { return }
                isRefusing.change { $0 = true }
                // Until `stop` has begun, and would have ended if it did not wait.
                while FileManager.default.fileExists(atPath: path) { usleep(100) }
                usleep(20_000)
                order.change { $0.append("refused") }
            },
            handler: { _ in })
        try server.start()
        let clients = try (0..<2).map { _ in try Client(path) }
        isRefusing.wait { $0 }
        server.stop()
        order.change { $0.append("stopped") }
        XCTAssertEqual(order.value, ["refused", "stopped"])
        withExtendedLifetime(clients) {}
    }

    // MARK: In a process of its own, as descriptors and threads are the process's

    private func probe(_ name: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("LoopProbe")
        process.arguments = [name]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, text)
        return text
    }

    func testClientsThatLeftDelayNobodyWhenNoDescriptorIsLeft() throws {
        let text = try probe("crowd")
        XCTAssert(text.hasPrefix("decided: true"), text)
    }

    func testAServerWhoseThreadCannotStartLeavesNothingAndStartsLater() throws {
        let text = try probe("thread")
        XCTAssert(text.hasPrefix("decided: true"), text)
    }
}
