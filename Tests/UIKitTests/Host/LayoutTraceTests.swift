import TestSupport
import XCTest

@testable import UIKit

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Layouts are drawn where the engine decides a rebuild, and nowhere else; drawings are SVG and
/// show the frames.
@MainActor final class LayoutTraceTests: XCTestCase {
    private let folder = TemporaryFolder()

    override func tearDown() async throws { folder.remove() }

    private func attach(to system: UISystem) throws {
        let trace = UISystem.LayoutTrace(folder: URL(fileURLWithPath: folder.file("drawings"), isDirectory: true))
        try XCTUnwrap(trace).attach(to: system)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("drawings")).sorted()
    }

    private func drawing(_ file: String) throws -> String {
        try String(contentsOfFile: folder.file("drawings/\(file)"), encoding: .utf8)
    }

    func testALayoutIsDrawnOnceAfterADrag() async throws {
        let app = try SplitApp(.doubleColumn, width: 1200)
        try attach(to: app.system)
        try app.system.beginResize(app.scene)
        for width in stride(from: 1190.0, through: 900, by: -10) { try app.resize(width) }
        XCTAssertEqual(try files(), [], "a person drags the window's edge")
        try app.system.endResize(app.scene)
        XCTAssertEqual(try files(), ["0001-900x800.svg"])

        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in [310.0, 290, 280] { try app.system.drag(separator, to: x) }
        XCTAssertEqual(try files().count, 1, "a person drags a separator")
        app.system.endDrag(separator)
        XCTAssertEqual(try files(), ["0001-900x800.svg", "0002-900x800.svg"])
        try app.resize(900)
        XCTAssertEqual(try files().count, 2, "nothing has changed")
    }

    func testADrawingShowsFramesNamesAndSafeAreas() async throws {
        let app = try SplitApp(.doubleColumn, width: 1200)
        try attach(to: app.system)
        try app.resize(1100)
        let svg = try drawing("0001-1100x800.svg")
        for text in [
            // The secondary column lies below the primary one and the navigation bar.
            "1100 × 800, ", "regular × regular", ">Pane<", ">safe area 50 320 0 0<", ">320 × 800<",
            ">in UINavigationController<", ">in UISplitViewController<", ">UINavigationBar<", ">window control<",
            "<rect x=\"0\" y=\"0\" width=\"320\" height=\"800\"",
            "<rect x=\"320\" y=\"50\" width=\"780\" height=\"750\"",
        ] { XCTAssert(svg.contains(text), "no \(text) in\n\(svg)") }
        XCTAssert(XMLParser(data: Data(svg.utf8)).parse())
    }

    func testATitleIsText() async throws {
        let app = try SplitApp(.doubleColumn, width: 1200)
        try attach(to: app.system)
        app.panes[.secondary]?.title = "a < b & \u{1}\"c\""
        try app.resize(1100)
        let svg = try drawing("0001-1100x800.svg")
        XCTAssert(svg.contains("Pane “a &lt; b &amp; \"c\"”"), svg)
        XCTAssert(XMLParser(data: Data(svg.utf8)).parse())
    }

    /// What the app's rebuild lays out is in the drawing.
    func testTheDrawingFollowsTheAppsRebuild() async throws {
        final class Root: UIViewController {
            private let part = UIView(frame: .zero)
            private var settled = CGSize.zero

            override func viewDidLoad() { view.addSubview(part) }
            override func viewSizeDidSettle(_ size: CGSize) {
                settled = size
                view.setNeedsLayout()
            }
            override func viewDidLayoutSubviews() { part.frame = CGRect(1, 2, 3, settled.width) }
        }
        let app = try TestApp(.pad, 1000, 800)
        app.show(Root())
        try attach(to: app.system)
        try app.resize(777, 600)
        let picture = try drawing("0001-777x600.svg")
        XCTAssert(picture.contains("<rect x=\"1\" y=\"2\" width=\"3\" height=\"777\""), picture)
    }

    func testHiddenViewsAndWindowsAreLeftOut() async throws {
        final class Hidden: UIView {}
        let app = try TestApp(.pad, 1000, 800)
        let root = UIViewController()
        let part = Hidden(frame: CGRect(0, 0, 300, 300))
        root.view.addSubview(part)
        app.show(root)
        let other = UIWindow(windowScene: app.scene)
        other.rootViewController = UITabBarController(nibName: nil, bundle: nil)
        try attach(to: app.system)
        try app.resize(777, 600)
        XCTAssert(try drawing("0001-777x600.svg").contains(">Hidden<"))
        part.isHidden = true
        try app.resize(700, 600)
        XCTAssertFalse(try drawing("0002-700x600.svg").contains(">Hidden<"))
        XCTAssertFalse(try drawing("0002-700x600.svg").contains("UITabBar"))
    }

    func testAFolderThatCannotBeMadeIsNamed() async {
        XCTAssertNil(try HostEnvironment(["UIKIT_TRACE": "svg:\(folder.file("new"))"]).trace())
        XCTAssertNotNil(try HostEnvironment(["UIKIT_TRACE": "svg:\(folder.file("new"))"]).layoutTrace())
        XCTAssertNil(try HostEnvironment(["UIKIT_TRACE": "full"]).layoutTrace())
        XCTAssertThrowsError(try HostEnvironment(["UIKIT_TRACE": "svg:/dev/null/a"]).layoutTrace()) { error in
            XCTAssertEqual(
                "\(error)",
                "UIKIT_TRACE is \"svg:/dev/null/a\"; it must be svg: and a folder that exists or can be made")
        }
        XCTAssertThrowsError(try HostEnvironment(["UIKIT_TRACE": "svg:"]).trace())
    }
}
