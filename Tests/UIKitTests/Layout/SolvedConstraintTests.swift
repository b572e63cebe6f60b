import XCTest

@testable import UIKit

/// Inequalities, priorities, own sizes and what has to be solved together.
@MainActor final class SolvedConstraintTests: ConstraintTestCase {
    /// A view with a size of its own, as a label has.
    private final class Label: UIView {
        var size = CGSize(60, 20) { didSet { invalidateIntrinsicContentSize() } }
        override var intrinsicContentSize: CGSize { size }
    }

    private func label(_ width: CGFloat, _ height: CGFloat = 20, in superview: UIView? = nil) -> Label {
        let label = Label()
        label.size = CGSize(width, height)
        label.translatesAutoresizingMaskIntoConstraints = false
        (superview ?? root).addSubview(label)
        return label
    }

    private func layOut(width: CGFloat) {
        root.frame.size.width = width
        root.layoutIfNeeded()
    }

    private func with(_ priority: Float, _ constraint: NSLayoutConstraint) -> NSLayoutConstraint {
        constraint.priority = UILayoutPriority(priority)
        return constraint
    }

    private func row(_ views: [UIView], spacing: CGFloat = 0) -> [NSLayoutConstraint] {
        var constraints = [views[0].leadingAnchor.constraint(equalTo: root.leadingAnchor)]
        for (view, next) in zip(views, views.dropFirst()) {
            constraints.append(next.leadingAnchor.constraint(equalTo: view.trailingAnchor, constant: spacing))
        }
        return constraints + [views[views.count - 1].trailingAnchor.constraint(equalTo: root.trailingAnchor)]
    }

    // MARK: Inequalities and priorities

    func testABoundBesideAWeakerEqualityGivesTheLesserOfBoth() async {
        let content = view()
        let weak = with(750, content.widthAnchor.constraint(equalTo: root.widthAnchor))
        NSLayoutConstraint.activate([
            weak, content.widthAnchor.constraint(lessThanOrEqualToConstant: 600),
            content.leftAnchor.constraint(equalTo: root.leftAnchor),
        ])
        for (width, expected) in [(300, 300), (800, 600), (500, 500), (600, 600), (2000, 600)] as [(CGFloat, CGFloat)] {
            layOut(width: width)
            XCTAssertEqual(content.frame.width, expected, "in \(width)")
        }
        weak.constant = -100
        root.layoutIfNeeded()
        XCTAssertEqual(content.frame.width, 600)
        layOut(width: 500)
        XCTAssertEqual(content.frame.width, 400)
    }

    func testAReadableColumnIsInTheMiddleWithAMargin() async {
        let column = view()
        NSLayoutConstraint.activate([
            column.widthAnchor.constraint(lessThanOrEqualToConstant: 672),
            column.centerXAnchor.constraint(equalTo: root.centerXAnchor),
            column.leadingAnchor.constraint(greaterThanOrEqualTo: root.leadingAnchor, constant: 20),
            with(750, column.widthAnchor.constraint(equalTo: root.widthAnchor)),
        ])
        layOut(width: 1000)
        XCTAssertEqual([column.frame.minX, column.frame.width], [164, 672])
        layOut(width: 400)
        XCTAssertEqual([column.frame.minX, column.frame.width], [20, 360])
        root.semanticContentAttribute = .forceRightToLeft
        root.layoutIfNeeded()
        XCTAssertEqual([column.frame.minX, column.frame.width], [20, 360])
    }

    func testLeadingBoundsAreMirroredFromRightToLeft() async {
        let content = view()
        NSLayoutConstraint.activate([
            content.widthAnchor.constraint(equalToConstant: 50),
            content.leadingAnchor.constraint(greaterThanOrEqualTo: root.leadingAnchor, constant: 30),
            with(500, content.leadingAnchor.constraint(equalTo: root.leadingAnchor, constant: 10)),
        ])
        layOut()
        XCTAssertEqual(content.frame.minX, 30)
        root.semanticContentAttribute = .forceRightToLeft
        layOut()
        XCTAssertEqual(content.frame.maxX, 270)
    }

    func testAnAspectRatioFitsIntoBounds() async {
        let video = view()
        NSLayoutConstraint.activate([
            video.widthAnchor.constraint(equalTo: video.heightAnchor, multiplier: 16 / 9),
            video.centerXAnchor.constraint(equalTo: root.centerXAnchor),
            video.centerYAnchor.constraint(equalTo: root.centerYAnchor),
            video.widthAnchor.constraint(lessThanOrEqualTo: root.widthAnchor),
            video.heightAnchor.constraint(lessThanOrEqualTo: root.heightAnchor),
            with(750, video.widthAnchor.constraint(equalTo: root.widthAnchor)),
            with(750, video.heightAnchor.constraint(equalTo: root.heightAnchor)),
        ])
        root.frame.size = CGSize(320, 900)
        root.layoutIfNeeded()
        XCTAssertEqual(video.frame, CGRect(0, 360, 320, 180))
        root.frame.size = CGSize(900, 180)
        root.layoutIfNeeded()
        XCTAssertEqual(video.frame, CGRect(290, 0, 320, 180))
    }

    func testNoNumberOfWeakConstraintsOutweighsAStrongerOne() async {
        let content = view()
        let strong = with(251, content.widthAnchor.constraint(equalToConstant: 100))
        let weak = (0..<50).map { _ in with(250, content.widthAnchor.constraint(equalToConstant: 200)) }
        NSLayoutConstraint.activate(weak + [strong])
        layOut()
        XCTAssertEqual(content.frame.width, 100)
        strong.priority = UILayoutPriority(249)
        layOut()
        XCTAssertEqual(content.frame.width, 200)
    }

    // MARK: Together

    func testSiblingsOfEqualWidthsShareWhatIsLeft() async throws {
        let app = try TestApp().launched()
        let parts = (0..<3).map { _ in view() }
        NSLayoutConstraint.activate(
            row(parts, spacing: 15)
                + zip(parts, parts.dropFirst()).map { $0.widthAnchor.constraint(equalTo: $1.widthAnchor) })
        layOut()
        XCTAssertEqual(parts.map(\.frame.minX), [0, 105, 210])
        XCTAssertEqual(parts.map(\.frame.width), [90, 90, 90])
        XCTAssertTrue(parts.allSatisfy { $0.constraints.allSatisfy { $0.status == .applied } })
        layOut(width: 630)
        XCTAssertEqual(parts.map(\.frame.minX), [0, 215, 430])
        XCTAssertEqual(app.system.messages.filter { $0.contains("onstraint") }, [])
        XCTAssertEqual(app.system.unsupportedConstraints, [])
    }

    func testAViewIsAsLargeAsItsContentWithinItsMargins() async {
        let box = view()
        let content = label(80, 30, in: box)
        let margins = box.layoutMarginsGuide
        box.sides(of: root, top: 0, leading: 0).activate()
        content.sides(of: margins, top: 0, leading: 0, bottom: 0, trailing: 0).activate()
        layOut()
        XCTAssertEqual(box.frame, CGRect(0, 0, 96, 46))
        XCTAssertEqual(content.frame, CGRect(8, 8, 80, 30))
    }

    // MARK: Own sizes

    func testOfTwoLabelsTheOneThatHugsLessIsStretched() async {
        let (name, value) = (label(60), label(40))
        name.setContentHuggingPriority(UILayoutPriority(251), for: .horizontal)
        NSLayoutConstraint.activate(row([name, value]) + [name.topAnchor.constraint(equalTo: root.topAnchor)])
        layOut()
        XCTAssertEqual([name, value].map(\.frame.width), [60, 240])
        XCTAssertEqual(name.frame.height, 20)
        XCTAssertFalse(name.hasAmbiguousLayout)
        // Too narrow for both: the value gives way, and no length is negative.
        value.setContentCompressionResistancePriority(UILayoutPriority(749), for: .horizontal)
        layOut(width: 80)
        XCTAssertEqual([name, value].map(\.frame.width), [60, 20])
        layOut(width: 50)
        XCTAssertEqual([name, value].map(\.frame.width), [50, 0])
        name.size.width = 30
        XCTAssertEqual(name.frame.width, 50, "in the next layout")
        root.layoutIfNeeded()
        XCTAssertEqual([name, value].map(\.frame.width), [30, 20])
        // A length that is gone.
        name.size.width = UIView.noIntrinsicMetric
        layOut(width: 100)
        XCTAssertEqual(value.frame.width, 40)
        XCTAssertEqual(name.contentHuggingPriority(for: .horizontal), UILayoutPriority(251))
        XCTAssertEqual(name.contentHuggingPriority(for: .vertical), .defaultLow)
        XCTAssertEqual(value.contentCompressionResistancePriority(for: .horizontal), UILayoutPriority(749))
        XCTAssertEqual(value.contentCompressionResistancePriority(for: .vertical), .defaultHigh)
    }

    func testASizeThatConstraintsFixIsNotTheViewsOwn() async {
        let content = label(60)
        NSLayoutConstraint.activate([
            content.widthAnchor.constraint(equalToConstant: 200),
            content.leftAnchor.constraint(equalTo: root.leftAnchor),
            content.heightAnchor.constraint(greaterThanOrEqualToConstant: 44),
        ])
        layOut()
        XCTAssertEqual(content.frame.size, CGSize(200, 44))
        XCTAssertEqual(UIView().intrinsicContentSize, CGSize(-1, -1))
    }

    // MARK: Fitting

    func testFittingIsTheSmallestSizeOfTheContent() async {
        let cell = UIView(frame: CGRect(5, 5, 1, 1))
        let content = label(80, 30, in: cell)
        NSLayoutConstraint.activate([
            content.leadingAnchor.constraint(equalTo: cell.leadingAnchor, constant: 10),
            content.topAnchor.constraint(equalTo: cell.topAnchor, constant: 10),
            cell.trailingAnchor.constraint(equalTo: content.trailingAnchor, constant: 10),
            cell.bottomAnchor.constraint(greaterThanOrEqualTo: content.bottomAnchor, constant: 10),
        ])
        XCTAssertEqual(cell.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize), CGSize(100, 50))
        XCTAssertEqual(cell.frame, CGRect(5, 5, 1, 1), "sets no frame")
        XCTAssertEqual(
            cell.systemLayoutSizeFitting(
                CGSize(320, 0), withHorizontalFittingPriority: .required,
                verticalFittingPriority: .fittingSizeLevel),
            CGSize(320, 50))
        // The label resists more than a width of low priority.
        XCTAssertEqual(
            cell.systemLayoutSizeFitting(
                CGSize(40, 200), withHorizontalFittingPriority: .defaultLow - 1,
                verticalFittingPriority: .defaultLow),
            CGSize(100, 200))
        XCTAssertEqual(cell.systemLayoutSizeFitting(UIView.layoutFittingExpandedSize), CGSize(100, 10_000))
        XCTAssertEqual(UIView().systemLayoutSizeFitting(CGSize(7, 8)), CGSize(7, 8))
        XCTAssertEqual(content.systemLayoutSizeFitting(UIView.layoutFittingCompressedSize), CGSize(80, 30))
        // It leaves the layout as it was.
        cell.frame.size = CGSize(200, 90)
        cell.layoutIfNeeded()
        XCTAssertEqual(content.frame, CGRect(10, 10, 180, 30))
    }

    // MARK: Contradictions

    func testABoundThatContradictsIsLeftOutIfItWasActivatedLast() async throws {
        let app = try TestApp().launched()
        let content = view()
        let sides = [
            content.leftAnchor.constraint(equalTo: root.leftAnchor),
            content.rightAnchor.constraint(equalTo: root.rightAnchor),
        ]
        let bound = content.widthAnchor.constraint(lessThanOrEqualToConstant: 400)
        NSLayoutConstraint.activate(sides + [bound])
        layOut()
        XCTAssertEqual(content.frame.width, 300)
        XCTAssertEqual(app.system.messages, [])
        layOut(width: 500)
        XCTAssertEqual(content.frame.width, 500)
        XCTAssertEqual(app.system.messages.filter { $0.contains("\(bound.text), which was activated last") }.count, 1)
        XCTAssertEqual(app.system.unsupportedConstraints, [])
    }

    func testOfABoundAndALaterEqualityTheEqualityIsLeftOutWhereTheyContradict() async throws {
        let app = try TestApp().launched()
        let content = view()
        let right = content.rightAnchor.constraint(equalTo: root.rightAnchor)
        NSLayoutConstraint.activate([
            content.widthAnchor.constraint(lessThanOrEqualToConstant: 400),
            content.leftAnchor.constraint(equalTo: root.leftAnchor), right,
        ])
        layOut()
        XCTAssertEqual(content.frame.width, 300)
        layOut(width: 500)
        XCTAssertEqual(content.frame.width, 400)
        XCTAssertEqual(app.system.messages.filter { $0.contains("\(right.text), which was activated last") }.count, 1)
        layOut(width: 350)
        XCTAssertEqual(content.frame.width, 350, "it counts again")
        layOut(width: 600)
        XCTAssertEqual(app.system.messages.count, 1, "logged once")
    }

    func testOfACycleAndALaterEqualityTheEqualityIsLeftOut() async throws {
        let app = try TestApp().launched()
        let (a, b) = (view(), view())
        let start = a.leftAnchor.constraint(equalTo: root.leftAnchor)
        NSLayoutConstraint.activate([
            // a is 100 at 50, by three that only together say so.
            a.widthAnchor.constraint(equalTo: b.widthAnchor), b.leftAnchor.constraint(equalTo: a.rightAnchor),
            b.rightAnchor.constraint(equalTo: root.rightAnchor, constant: -50),
            a.centerXAnchor.constraint(equalTo: root.leftAnchor, constant: 100), start,
        ])
        layOut()
        XCTAssertEqual(a.frame.minX, 50)
        XCTAssertEqual(b.frame, CGRect(150, 0, 100, 0))
        XCTAssertEqual(app.system.messages.filter { $0.contains("\(start.text), which was activated last") }.count, 1)
    }

    // MARK: Ambiguity

    func testWhatPrioritiesLeaveOpenIsAmbiguousAndKeepsItsLastValue() async {
        let content = view()
        content.frame.size.width = 150
        let bound = content.widthAnchor.constraint(lessThanOrEqualToConstant: 200)
        NSLayoutConstraint.activate([
            bound, content.leftAnchor.constraint(equalTo: root.leftAnchor),
            content.topAnchor.constraint(equalTo: root.topAnchor), content.heightAnchor.constraint(equalToConstant: 10),
        ])
        XCTAssertTrue(content.hasAmbiguousLayout, "known before the layout")
        layOut()
        XCTAssertEqual(content.frame.width, 150)
        bound.constant = 120
        layOut()
        XCTAssertEqual(content.frame.width, 120)
        let weak = with(1, content.widthAnchor.constraint(equalToConstant: 90))
        weak.isActive = true
        XCTAssertFalse(content.hasAmbiguousLayout)
        layOut()
        XCTAssertEqual(content.frame.width, 90)
        // Equal priorities that disagree leave everything between.
        let (name, value) = (label(60), label(40))
        NSLayoutConstraint.activate(
            row([name, value])
                + [name, value].flatMap { [$0.topAnchor.constraint(equalTo: root.topAnchor)] })
        XCTAssertTrue(name.hasAmbiguousLayout)
        XCTAssertTrue(value.hasAmbiguousLayout)
        value.setContentHuggingPriority(.defaultHigh, for: .horizontal)
        XCTAssertFalse(name.hasAmbiguousLayout)
        XCTAssertFalse(value.hasAmbiguousLayout)
    }
}
