import Glibc
import UIKit
import XCTest

/// What a stack costs grows with its length, and not with a power of it.
@MainActor final class StackCostTests: XCTestCase {
    /// The processor time of this thread, in nanoseconds: other programs do not add to it.
    private var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The least cost of several runs.
    private func cost(_ count: Int, _ change: (UINavigationController, [UIViewController]) -> Void) throws -> UInt64 {
        let app = try TestApp(.pad, 800, 600)
        let root = UIViewController()
        let navigation = UINavigationController(rootViewController: root)
        app.show(navigation)
        let others = (0..<count).map { _ in UIViewController() }
        var least = UInt64.max
        for _ in 0..<5 {
            navigation.setViewControllers([root] + others, animated: false)
            let start = processorTime
            change(navigation, others)
            least = min(least, processorTime - start)
            navigation.setViewControllers([root], animated: false)
            XCTAssertEqual(navigation.children, [root])
        }
        return least
    }

    func testLongStacksCostInProportionToTheirLength() async throws {
        let changes: [(String, (UINavigationController, [UIViewController]) -> Void)] = [
            ("pop to root", { navigation, _ in navigation.popToRootViewController(animated: false) }),
            (
                "push",
                { navigation, others in
                    navigation.popToRootViewController(animated: false)
                    for other in others { navigation.pushViewController(other, animated: false) }
                }
            ),
            (
                "pop",
                { navigation, others in
                    for _ in others { navigation.popViewController(animated: false) }
                }
            ),
            ("replace", { navigation, others in navigation.setViewControllers(others.reversed(), animated: false) }),
        ]
        for (name, change) in changes {
            let (short, long) = (try cost(100, change), try cost(800, change))
            // In proportion, it is 8 times; with the square, 64 times.
            XCTAssertLessThan(Double(long) / Double(short), 20, "\(name): \(short) ns for 100, \(long) ns for 800")
        }
    }
}
