import TestSupport
import XCTest

@testable import UIKit

/// A change of constraints makes the plans of what it concerns again, and no others.
@MainActor final class ConstraintPartTests: ConstraintTestCase {
    private var plans: [LayoutPlan] { root.constraintState?.plans ?? [] }

    /// A view with four constraints to the root.
    @discardableResult private func pinned(_ distance: CGFloat = 1) -> UIView {
        let content = view()
        content.sides(of: root, top: distance, leading: distance, bottom: distance, trailing: distance).activate()
        return content
    }

    /// Lays out, and counts the constraints of the plans that were made.
    private func planned(_ change: () -> Void) -> Int {
        let before = plans
        change()
        layOut()
        return plans.filter { plan in !before.contains { $0 === plan } }.reduce(0) { $0 + $1.constraints.count }
    }

    func testAddingAndRemovingAViewPlansItsOwnConstraintsOnly() async {
        for count in [50, 100] {
            var views: [UIView] = []
            let added = (0..<count).reduce(0) { sum, _ in sum + planned { views.append(pinned()) } }
            XCTAssertEqual(added, 4 * count)
            XCTAssertEqual(plans.count, count)
            let removed = views.reduce(0) { sum, view in sum + planned { view.removeFromSuperview() } }
            XCTAssertEqual(removed, 0)
            XCTAssertEqual(plans.count, 0)
            XCTAssertEqual(root.constraintState?.attached.count, 0)
        }
    }

    func testAConstraintBetweenTwoViewsPlansTheirPartsTogetherUntilItIsRemoved() async {
        let (a, b) = (pinned(), pinned(2))
        pinned(3)
        layOut()
        XCTAssertEqual(plans.map(\.constraints.count), [4, 4, 4])
        let tie = a.heightAnchor.constraint(equalTo: b.heightAnchor, constant: 2)
        XCTAssertEqual(planned { tie.isActive = true }, 9)
        XCTAssertEqual(planned { tie.constant = 3 }, 0)
        XCTAssertEqual(planned { root.frame.size.width = 400 }, 0)
        XCTAssertEqual(planned { tie.isActive = false }, 8)
        XCTAssertEqual(plans.map(\.constraints.count).sorted(), [4, 4, 4])
        XCTAssertEqual(planned { tie.priority = .defaultLow }, 0)
        XCTAssertEqual(planned { tie.isActive = true }, 9)
        XCTAssertEqual(planned { tie.priority = .defaultHigh }, 9)
    }

    func testAViewThatBringsConstraintsOfItsOwnIsPlannedWithThem() async {
        pinned()
        layOut()
        let box = UIView()
        box.translatesAutoresizingMaskIntoConstraints = false
        let inner = view(in: box)
        let within = [
            inner.leftAnchor.constraint(equalTo: box.leftAnchor, constant: 5),
            inner.widthAnchor.constraint(equalToConstant: 20), box.widthAnchor.constraint(equalToConstant: 50),
        ]
        NSLayoutConstraint.activate(within)
        box.layoutIfNeeded()
        let place = box.leftAnchor.constraint(equalTo: root.leftAnchor, constant: 30)
        XCTAssertEqual(
            planned {
                root.addSubview(box)
                place.isActive = true
            }, 4)
        XCTAssertEqual(box.frame.minX, 30)
        XCTAssertEqual(inner.frame.minX, 5)
        within[0].constant = 8
        root.layoutIfNeeded()
        XCTAssertEqual(inner.frame.minX, 8)
        box.removeFromSuperview()
        within[0].constant = 9
        box.layoutIfNeeded()
        XCTAssertEqual(inner.frame.minX, 9, "by a plan of its own")
    }

    /// Random changes, each compared with plans that are all made again.
    func testRandomChangesGiveTheFramesOfPlansThatAreAllMadeAgain() async throws {
        let app = try TestApp().launched()
        for seed in 0..<tried(300) as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let systems = (0..<3).map { RandomConstraints(seed: 10 * seed + $0, isDirectional: true) }
            let top = UIView(frame: CGRect(0, 0, 800, 600))
            for system in systems {
                // Side by side, as parts of one root, or around each other.
                system.root.translatesAutoresizingMaskIntoConstraints = random.chance(30)
                top.addSubview(system.root)
                guard !system.root.translatesAutoresizingMaskIntoConstraints else { continue }
                NSLayoutConstraint.activate([
                    system.root.topAnchor.constraint(equalTo: top.topAnchor),
                    system.root.leadingAnchor.constraint(equalTo: top.leadingAnchor, constant: 5),
                    system.root.widthAnchor.constraint(equalToConstant: 300),
                    system.root.heightAnchor.constraint(equalTo: top.heightAnchor),
                ])
            }
            NSLayoutConstraint.activate(systems.flatMap(\.constraints))
            for _ in 0..<6 {
                change(systems, top, &random)
                // Twice: what nothing fixes follows frames that the first layout has rounded.
                for _ in 0..<2 {
                    top.setNeedsLayout()
                    top.layoutIfNeeded()
                }
                let frames = systems.flatMap { [$0.root.frame] + $0.frames }
                for root in [top] + systems.map(\.root) { root.markPlans() }
                top.layoutIfNeeded()
                let again = systems.flatMap { [$0.root.frame] + $0.frames }
                let different = zip(frames, again).filter { $0 != $1 }
                XCTAssertTrue(different.isEmpty, "seed \(seed): \(different)")
            }
        }
        XCTAssertEqual(app.system.unsupportedConstraints, [])
    }

    private func change(_ systems: [RandomConstraints], _ top: UIView, _ random: inout SplitMix64) {
        let system = random.pick(systems)
        let isInside = { (object: AnyObject?) in
            ((object as? UIView) ?? (object as? UILayoutGuide)?.owningView)?.isDescendant(of: top) ?? true
        }
        switch random.below(4) {
        case 0: random.pick(system.constraints).isActive = false
        case 1:
            for constraint in system.constraints
            where !constraint.isActive && isInside(constraint.firstItem) && isInside(constraint.secondItem) {
                constraint.isActive = true
            }
        case 2: random.pick(system.items).view?.removeFromSuperview()
        default:
            if system.root.superview == nil { top.addSubview(system.root) }
            for item in system.items.dropFirst() where item.view?.superview == nil {
                if let view = item.view { systemView(system, item.parent)?.addSubview(view) }
            }
        }
    }

    private func systemView(_ system: RandomConstraints, _ item: Int) -> UIView? { system.items[item].view }
}
