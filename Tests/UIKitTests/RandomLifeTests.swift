import Settle
import TestSupport
import UIKit
import XCTest

/// Random changes of scenes: each delegate gets the calls of a complete life, in order.
@MainActor final class RandomLifeTests: XCTestCase {
    func testEveryDelegateGetsAWholeLife() async throws {
        for seed: UInt64 in 0..<300 {
            let faults = try live(seed) { _ in }
            XCTAssertEqual(faults, [], "seed \(seed)")
            if !faults.isEmpty { return }
        }
    }

    /// The checker must detect a call at the wrong time.
    func testACallOutOfOrderIsSeen() async throws {
        // Whatever the scene's state, the second is wrong.
        let active = try live(1) { scene in for _ in 0..<2 { scene.delegate?.sceneDidBecomeActive(scene) } }
        XCTAssertNotEqual(active, [])
        let gone = try live(1) { scene in for _ in 0..<2 { scene.delegate?.sceneDidDisconnect(scene) } }
        XCTAssertNotEqual(gone, [])
    }

    /// - Parameter plant: Runs on a scene at the end.
    private func live(_ seed: UInt64, plant: (UIScene) -> Void) throws -> [String] {
        var random = SplitMix64(seed: seed)
        let app = try TestApp(policy: random.chance(50) ? .uikit : .default)
        CheckingSceneDelegate.faults = []
        CheckingSceneDelegate.random = SplitMix64(seed: seed ^ 0xFFFF)
        RecordingSceneDelegate.onConnect = { scene, _ in scene.delegate = CheckingSceneDelegate() }
        _ = try app.launched()
        for _ in 0..<60 { do { try step(app.system, &random) } catch is UISystem.Error {} }
        plant(try app.system.scenes.first ?? app.system.connect())
        app.system.finish()
        return CheckingSceneDelegate.faults
    }

    private func step(_ system: UISystem, _ random: inout SplitMix64) throws {
        let scenes = system.windowScenes
        guard !scenes.isEmpty, random.chance(95) else {
            try system.connect(state: random.pick([.foregroundActive, .background]))
            return
        }
        let scene = random.pick(scenes)
        let size = CGSize(CGFloat(300 + 50 * random.below(4)), 400)
        switch random.below(12) {
        case 0: try system.beginResize(scene)
        case 1, 2, 3: try system.resize(scene, to: size)
        case 4: try system.endResize(scene, at: random.chance(50) ? size : nil)
        case 5: system.rotate(to: random.pick([.portrait, .landscapeLeft]))
        case 6: try system.transition(scene, to: random.pick(UIScene.ActivationState.all))
        case 7: try system.bring(scene, to: random.pick([.foregroundActive, .foregroundInactive, .background]))
        case 8: try system.place(scene, in: CGRect(origin: CGPoint(x: random.below(3), y: 0), size: size))
        case 9: system.advance(by: .milliseconds(random.below(120)))
        case 10: scene.sizeRestrictions?.minimumSize.width = CGFloat(random.pick([0, 320, 600]))
        default: if random.chance(30) { try system.disconnect(scene) } else { try system.enterFullScreen(scene) }
        }
    }
}

/// Notes every call that cannot come where it did, and now and then acts from within one.
private final class CheckingSceneDelegate: UIResponder, UIWindowSceneDelegate {
    static var faults: [String] = []
    static var random = SplitMix64(seed: 0)

    private enum Life { case connecting, inactive, active, background, gone }
    private var life = Life.connecting
    private var last: UIWindowScene.Geometry?

    private func expect(_ call: String, _ lives: Life..., then next: Life) {
        if !lives.contains(life) { Self.faults.append("\(call) while \(life)") }
        life = next
    }

    func sceneWillEnterForeground(_ scene: UIScene) {
        expect("willEnterForeground", .connecting, .background, then: .inactive)
    }
    func sceneDidBecomeActive(_ scene: UIScene) { expect("didBecomeActive", .inactive, then: .active) }
    func sceneWillResignActive(_ scene: UIScene) { expect("willResignActive", .active, then: .inactive) }
    func sceneDidEnterBackground(_ scene: UIScene) { expect("didEnterBackground", .inactive, then: .background) }
    func sceneDidDisconnect(_ scene: UIScene) { expect("didDisconnect", .background, .connecting, then: .gone) }

    func windowScene(_ windowScene: UIWindowScene, didUpdateEffectiveGeometry previous: UIWindowScene.Geometry) {
        expect("geometry", .inactive, .active, then: life)
        let current = windowScene.effectiveGeometry
        if let last, last !== previous { Self.faults.append("the previous geometry is not that of the call before") }
        if current == previous { Self.faults.append("a call without a change") }
        last = current
        guard Self.random.chance(5), let system = UISystem.current else { return }
        if Self.random.chance(50) {
            try? system.resize(windowScene, to: CGSize(333, 333))
        } else {
            UIApplication.shared.requestSceneSessionDestruction(windowScene.session, options: nil)
        }
    }
}
