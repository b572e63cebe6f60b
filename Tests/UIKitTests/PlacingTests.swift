import Settle
import TestSupport
import XCTest

@testable import UIKit

/// Where the system places windows after a turn, on another screen, within restrictions.
@MainActor final class PlacingTests: AppTestCase {
    private func frame(_ app: TestApp) -> CGRect { app.scene.effectiveGeometry.systemFrame }

    func testAFrameIsMovedIntoBoundsAsLittleAsPossible() async {
        let bounds = CGRect(100, 200, 500, 400)
        for (frame, x, y) in [
            (CGRect(150, 250, 50, 60), 150, 250), (CGRect(90, 190, 50, 60), 100, 200),
            (CGRect(590, 595, 50, 60), 550, 540), (CGRect(0, 900, 500, 400), 100, 200),
            (CGRect(50, 250, 501, 401), 100, 200), (CGRect(300, 700, 900, 900), 100, 200),
        ] {
            XCTAssertEqual(frame.moved(into: bounds), CGRect(origin: CGPoint(x: x, y: y), size: frame.size))
        }
    }

    func testRestrictionsThatAreNoSizesRestrictNothing() async throws {
        for side in [CGFloat.nan, -5, 0, -.infinity, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            let app = try TestApp().launched()
            try app.resize(700, 600)
            app.scene.sizeRestrictions?.minimumSize = CGSize(side, 1)
            let least = side > 1024 ? 1024 : 0
            XCTAssertEqual(frame(app).width, max(700, CGFloat(least)), "minimum \(side)")
            for width in [300, 900, 400] {
                try app.resize(CGFloat(width), 500)
                XCTAssertEqual(frame(app).width, CGFloat(max(width, least)), "minimum \(side)")
                XCTAssertEqual(frame(app).height, 500, "minimum \(side)")
            }
            app.scene.sizeRestrictions?.minimumSize = .zero
            app.scene.sizeRestrictions?.maximumSize = CGSize(side, 5000)
            guard side != .leastNonzeroMagnitude else { continue }
            for width in [300.0, 900, 400] {
                try app.resize(width, 700)
                XCTAssertEqual(frame(app).size, CGSize(width, 700), "maximum \(side)")
            }
            XCTAssertEqual(app.system.statistics.rejected, 0, "\(side)")
        }
    }

    // MARK: Random placing

    /// Turns, displays, restrictions and hands at random: frames are finite, lie within
    /// their screens, are as the restrictions say, and no size is rejected.
    func testWhateverHappensWindowsLieWithinTheirScreens() async throws {
        for seed: UInt64 in 0..<300 {
            let fault = try live(seed) { _ in }
            XCTAssertNil(fault, "seed \(seed)")
            if fault != nil { return }
        }
    }

    /// The check must see a window that sticks out.
    func testAWindowThatSticksOutIsSeen() async throws {
        let fault = try live(1) { scene in
            let bounds = scene.screen.bounds
            try UISystem.current?.place(scene, in: bounds.offsetBy(dx: bounds.width / 2, dy: 0))
        }
        XCTAssertNotNil(fault)
    }

    private func live(_ seed: UInt64, plant: (UIWindowScene) throws -> Void) throws -> String? {
        var random = SplitMix64(seed: seed)
        let extra: [String: Any] = random.chance(20) ? ["UIRequiresFullScreen": true] : [:]
        let app = try TestApp(platform: random.chance(70) ? .pad : .mac, extra: extra).launched()
        _ = try app.system.connect(frame: CGRect(40, 50, 500, 300))
        for number in 0..<60 {
            let step = try step(app.system, &random)
            if let fault = fault(app.system) { return "\(fault) after \(step), step \(number)" }
        }
        try plant(app.scene)
        return fault(app.system)
    }

    private func fault(_ system: UISystem) -> String? {
        if system.statistics.rejected != 0 { return "a size was rejected" }
        for scene in system.windowScenes {
            let (frame, bounds) = (scene.effectiveGeometry.systemFrame, scene.screen.bounds)
            let shown = system.presentation(of: scene).frame
            for (name, frame) in [("frame", frame), ("presentation", shown)] {
                // Scaling leaves a rounding error.
                guard bounds.insetBy(dx: -1e-6, dy: -1e-6).contains(frame) else {
                    return "the \(name) \(frame) is not within \(bounds)"
                }
            }
            guard let restrictions = scene.sizeRestrictions else { continue }
            let least = restrictions.minimumSize.width
            if least > 0, frame.width < min(least, bounds.width) { return "\(frame) is below the minimum \(least)" }
        }
        return nil
    }

    /// Hands keep windows on their screens; the system must as well.
    private func step(_ system: UISystem, _ random: inout SplitMix64) throws -> String {
        let scene = random.pick(system.windowScenes)
        let bounds = scene.screen.bounds
        let least = scene.sizeRestrictions?.minimumSize.width ?? 0
        let width = max(CGFloat(1 + random.below(Int(bounds.width))), least > 0 ? min(least, bounds.width) : 0)
        let size = CGSize(width: width, height: CGFloat(1 + random.below(Int(bounds.height))))
        switch random.below(9) {
        case 0, 1:
            system.rotate(to: random.pick([.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]))
            return "a turn"
        case 2:
            system.attachDisplay(size: random.pick([CGSize(640, 480), CGSize(3840, 2160)]))
            return "a display"
        case 3:
            guard let display = system.screens.dropFirst().last else { return "nothing" }
            try system.detachDisplay(display)
            return "an unplugged display"
        case 4:
            try system.move(scene, to: random.pick(system.screens))
            return "a move to another screen"
        case 5:
            let sides: [CGFloat] = [0, 320, 1100, 5000, .infinity, .nan, -1, .greatestFiniteMagnitude]
            let side = random.pick(sides)
            scene.sizeRestrictions?.minimumSize.width = side
            return "a minimum of \(side)"
        case 6:
            let sides: [CGFloat] = [0, 300, 900, .infinity, .nan, -1, .greatestFiniteMagnitude]
            let side = random.pick(sides)
            scene.sizeRestrictions?.maximumSize.width = side
            return "a maximum of \(side)"
        default:
            let room = CGPoint(bounds.width - size.width, bounds.height - size.height)
            let origin = CGPoint(x: CGFloat(random.below(Int(room.x) + 1)), y: CGFloat(random.below(Int(room.y) + 1)))
            try system.beginResize(scene)
            try system.place(scene, in: CGRect(origin: origin, size: size))
            try system.endResize(scene)
            return "a drag to \(size) at \(origin)"
        }
    }
}
