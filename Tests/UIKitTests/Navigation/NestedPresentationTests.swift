import UIKit
import XCTest

/// What `present` and `dismiss` do in the callbacks of others, and what is below a presentation.
@MainActor final class NestedPresentationTests: XCTestCase {
    @MainActor private final class Chain {
        let app: TestApp
        let window: UIWindow
        let root = NamedController("root")
        let p = NamedController("p")
        let q = NamedController("q")

        init(_ pStyle: UIModalPresentationStyle, _ qStyle: UIModalPresentationStyle) throws {
            app = try TestApp(.pad, 1000, 800)
            window = app.show(root)
            DelegateCalls.all = ["root appeared"]
            (p.modalPresentationStyle, q.modalPresentationStyle) = (pStyle, qStyle)
            root.present(p, animated: false)
        }

        /// Those that have appeared and not disappeared since.
        var visible: [String] {
            [root, p, q].map(\.name).filter { name in
                DelegateCalls.all.last { $0 == "\(name) appeared" || $0 == "\(name) disappeared" }
                    == "\(name) appeared"
            }
        }

        /// Runs work once, in one of a controller's calls.
        func once(in moment: String, of controller: NamedController, _ work: @escaping () -> Void) {
            var isDone = false
            controller.onAppearance = { call in
                guard call == moment, !isDone else { return }
                isDone = true
                work()
            }
        }
    }

    private static let styles: [(UIModalPresentationStyle, UIModalPresentationStyle)] = [
        (.fullScreen, .fullScreen), (.pageSheet, .pageSheet), (.fullScreen, .pageSheet), (.pageSheet, .fullScreen),
        (.overFullScreen, .currentContext),
    ]

    private func checkThatOnlyTheRootIsLeft(_ chain: Chain, _ text: String) {
        XCTAssertNil(chain.root.presentedViewController, text)
        for controller in [chain.p, chain.q] {
            XCTAssertNil(controller.presentingViewController, text)
            XCTAssertNil(controller.view.window, text)
            XCTAssertFalse(controller.isBeingPresented || controller.isBeingDismissed, text)
        }
        XCTAssertEqual(chain.window.subviews, [chain.root.view!], text)
        XCTAssertEqual(chain.visible, ["root"], text)
        chain.root.present(chain.q, animated: false)
        XCTAssertIdentical(chain.root.presentedViewController, chain.q, text)
        chain.root.dismiss(animated: false)
        XCTAssertEqual(chain.visible, ["root"], text)
    }

    func testAllIsDismissedFromAnyCallbackOfAPresentation() async throws {
        for (pStyle, qStyle) in Self.styles {
            for (isOfQ, moment) in [
                (true, "will appear"), (true, "is appearing"), (true, "appeared"), (false, "will disappear"),
                (false, "disappeared"),
            ] where isOfQ || qStyle != .pageSheet {
                let chain = try Chain(pStyle, qStyle)
                var (isCompleted, isCalled) = (false, false)
                chain.once(in: moment, of: isOfQ ? chain.q : chain.p) {
                    isCalled = true
                    chain.root.dismiss(animated: false) { isCompleted = true }
                }
                chain.p.present(chain.q, animated: false)
                let text = "\(pStyle) \(qStyle), \(moment) of \(isOfQ ? "q" : "p")"
                XCTAssertTrue(isCompleted && isCalled, text)
                checkThatOnlyTheRootIsLeft(chain, text)
            }
        }
    }

    func testAllIsDismissedFromAnyCallbackOfADismissal() async throws {
        for (pStyle, qStyle) in Self.styles {
            for moment in ["will disappear", "disappeared"] {
                for isByRoot in [false, true] {
                    let chain = try Chain(pStyle, qStyle)
                    chain.p.present(chain.q, animated: false)
                    chain.once(in: moment, of: chain.q) { chain.root.dismiss(animated: false) }
                    (isByRoot ? chain.root : chain.p).dismiss(animated: false)
                    checkThatOnlyTheRootIsLeft(chain, "\(pStyle) \(qStyle), \(moment), by root: \(isByRoot)")
                }
            }
        }
    }

    func testAControllerThatIsDismissedWhileItLoadsDoesNotAppear() async throws {
        final class Closing: NamedController {
            override func viewDidLoad() {
                super.viewDidLoad()
                dismiss(animated: false)
            }
        }
        let app = try TestApp(.pad, 1000, 800)
        let (root, cover) = (NamedController("root"), Closing("cover"))
        let window = app.show(root)
        cover.modalPresentationStyle = .fullScreen
        root.present(cover, animated: false)
        assertCalls("cover loaded")
        XCTAssertNil(root.presentedViewController)
        XCTAssertEqual(window.subviews, [root.view!])
    }

    func testNothingIsPresentedDuringADismissal() async throws {
        let chain = try Chain(.pageSheet, .pageSheet)
        let next = NamedController("next")
        next.modalPresentationStyle = .fullScreen
        chain.p.present(chain.q, animated: false)
        chain.q.onAppearance = { call in
            if call == "will disappear" {
                chain.root.dismiss(animated: false)
                chain.p.present(chain.q, animated: false)
                chain.root.present(next, animated: false)
            }
        }
        chain.root.dismiss(animated: false)
        XCTAssertEqual(chain.app.system.messages.filter { $0.contains("in the completion of that") }.count, 2)
        XCTAssertNil(next.presentingViewController)
        XCTAssertFalse(next.isViewLoaded)
        chain.q.onAppearance = { _ in }
        checkThatOnlyTheRootIsLeft(chain, "refused")
        chain.root.present(chain.p, animated: false)
        chain.root.dismiss(animated: false) { chain.root.present(next, animated: false) }
        XCTAssertIdentical(chain.root.presentedViewController, next)
        next.dismiss(animated: false)
        checkThatOnlyTheRootIsLeft(chain, "in the completion")
        chain.root.present(chain.p, animated: false)
        chain.once(in: "disappeared", of: chain.p) { chain.root.present(next, animated: false) }
        chain.root.dismiss(animated: false)
        XCTAssertIdentical(chain.root.presentedViewController, next, "the dismissal has ended")
    }

    func testAControllerThatIsDismissedPresentsNothing() async throws {
        for moment in ["will disappear", "disappeared"] {
            let chain = try Chain(.fullScreen, .fullScreen)
            chain.once(in: moment, of: chain.p) { chain.p.present(chain.q, animated: false) }
            chain.p.dismiss(animated: false)
            XCTAssertFalse(chain.q.isViewLoaded, moment)
            checkThatOnlyTheRootIsLeft(chain, moment)
        }
    }

    func testAllThatIsBelowAFullScreenPresentationDisappears() async throws {
        let chain = try Chain(.formSheet, .fullScreen)
        DelegateCalls.all = []
        chain.p.present(chain.q, animated: false)
        assertCalls([
            "q loaded", "p will disappear", "root will disappear", "q will appear", "p disappeared",
            "root disappeared", "q appeared",
        ])
        XCTAssertEqual(chain.window.subviews, [chain.q.view!])
        XCTAssertIdentical(chain.root.presentedViewController, chain.p)
        chain.p.preferredContentSize = CGSize(400, 300)
        try chain.app.resize(900, 800)
        DelegateCalls.all = []
        chain.q.dismiss(animated: false)
        assertCalls("q will disappear, root will appear, p will appear, q disappeared, root appeared, p appeared")
        XCTAssertEqual(chain.window.subviews, [chain.root.view!, chain.p.view!])
        XCTAssertEqual(chain.root.view.frame, chain.window.bounds)
        XCTAssertEqual(chain.p.view.frame, CGRect(250, 250, 400, 300))
        XCTAssertEqual(chain.p.transitions, [CGSize(400, 300)], "one when it returns")
        chain.p.present(chain.q, animated: false)
        try chain.app.resize(500, 800)
        chain.q.dismiss(animated: false)
        XCTAssertEqual(chain.p.view.frame, CGRect(0, 10, 500, 790), "compact width")
        chain.p.present(chain.q, animated: false)
        chain.root.dismiss(animated: false)
        XCTAssertEqual(chain.window.subviews, [chain.root.view!])
    }

    func testCallbacksThatPresentAndDismissWithoutEndLeaveTheTurn() async throws {
        let app = try TestApp(.pad, 1000, 800)
        let (root, cover) = (app.showing(NamedController("root")), NamedController("cover"))
        cover.modalPresentationStyle = .fullScreen
        var rounds = 0
        cover.onAppearance = { call in
            // A turn without end would not come back to fail the test.
            if call == "appeared", rounds < 10_000 { root.dismiss(animated: false) }
        }
        root.onAppearance = { call in
            guard call == "appeared" else { return }
            rounds += 1
            root.present(cover, animated: false)
        }
        root.present(cover, animated: false)
        XCTAssertGreaterThan(rounds, 10)
        XCTAssertLessThan(rounds, 110)
        XCTAssertEqual(app.system.messages.filter { $0.contains("follows in the next turn") }.count, 1)
        let first = rounds
        app.turn()
        XCTAssertGreaterThan(rounds, first, "they go on")
        XCTAssertLessThan(rounds, first + 110)
        root.onAppearance = { _ in }
        app.turn()
        XCTAssertNil(root.presentedViewController)
        XCTAssertNotNil(root.view.window)
    }

    func testWhatIsPresentedAsTheWindowReturnsTakesThePlaceOfTheRest() async throws {
        for moment in ["will appear", "is appearing", "appeared"] {
            let chain = try Chain(.overFullScreen, .fullScreen)
            chain.window.isHidden = true
            XCTAssertEqual(chain.visible, [])
            chain.once(in: moment, of: chain.root) { chain.p.present(chain.q, animated: false) }
            chain.p.onAppearance = { call in XCTAssertNotEqual(call, "appeared", "it is covered") }
            chain.window.isHidden = false
            XCTAssertEqual(chain.visible, ["q"], moment)
            XCTAssertEqual(chain.window.subviews, [chain.q.view!], moment)
            chain.p.onAppearance = { _ in }
            chain.q.dismiss(animated: false)
            XCTAssertEqual(chain.visible, ["root", "p"], moment)
        }
    }
}
