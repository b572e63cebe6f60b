import XCTest

@testable import UIKit

/// Prefers a style, and counts how often it is asked.
final class StyledSceneDelegate: UIResponder, UIWindowSceneDelegate {
    static var style = UIWindowScene.WindowingControlStyle.automatic
    static var reads = 0

    func preferredWindowingControlStyle(for windowScene: UIWindowScene) -> UIWindowScene.WindowingControlStyle {
        Self.reads += 1
        return Self.style
    }
}

/// The window control's style and area.
@MainActor final class ControlStyleTests: XCTestCase {
    private func shown(
        _ style: UIWindowScene.WindowingControlStyle, platform: UISystem.Platform = .pad, top: CGFloat = 10
    ) throws -> (TestApp, UIViewController) {
        StyledSceneDelegate.style = style
        StyledSceneDelegate.reads = 0
        var platform = platform
        platform.sceneInsets.window.top = top
        let configuration = [
            "UISceneConfigurationName": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).StyledSceneDelegate",
        ]
        let app = try TestApp(platform: platform, scenes: [TestApp.window: [configuration]]).launched()
        let controller = app.showing(UIViewController())
        if platform.isWindowed { try app.resize(700, 500) }
        return (app, controller)
    }

    func testTheStylesAreClassPropertiesThatNeedNoMainActor() async {
        let names = await Task.detached {
            typealias Style = UIWindowScene.WindowingControlStyle
            return Set([Style.automatic, Style.minimal, Style.unified].map { ObjectIdentifier($0) })
        }.value
        XCTAssertEqual(names.count, 3)
        XCTAssertIdentical(UIWindowScene.WindowingControlStyle.minimal, UIWindowScene.WindowingControlStyle.minimal)
    }

    func testAUnifiedControlTakesTheCornerBelowTheSafeAreasTop() async throws {
        for top in [10, 32] as [CGFloat] {
            let (_, controller) = try shown(.unified, top: top)
            XCTAssertEqual(controller.view.safeAreaInsets.top, top, "unchanged")
            XCTAssertEqual(controller.view.window?.controlArea, CGRect(0, top, 66, 43))
        }
    }

    func testAMinimalControlLiesInTheSafeArea() async throws {
        let (_, controller) = try shown(.minimal)
        XCTAssertEqual(controller.view.safeAreaInsets.top, 42)
        XCTAssertNil(controller.view.window?.controlArea)
        XCTAssertEqual(
            controller.view.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)), UIEdgeInsets(42, 0, 0, 0))
    }

    func testAutomaticIsUnifiedAndForAnOlderSDKMinimal() async throws {
        let (_, controller) = try shown(.automatic)
        XCTAssertNotNil(controller.view.window?.controlArea)
        var platform = UISystem.Platform.pad
        platform.linkedSDK = 18
        let (_, old) = try shown(.automatic, platform: platform)
        XCTAssertNil(old.view.window?.controlArea)
        XCTAssertEqual(old.view.safeAreaInsets.top, 42)
    }

    func testOnlyAWindowOfAPadHasAControl() async throws {
        for platform in [UISystem.Platform.phone, .mac, .vision] {
            for style in [UIWindowScene.WindowingControlStyle.unified, .minimal] {
                let (app, controller) = try shown(style, platform: platform, top: 0)
                XCTAssertNil(controller.view.window?.controlArea, "\(app.system.platform.kind)")
                XCTAssertEqual(controller.view.safeAreaInsets, .zero)
            }
        }
        var fixed = UISystem.Platform.pad
        fixed.isWindowed = false
        XCTAssertNil(try shown(.unified, platform: fixed).1.view.window?.controlArea)
    }

    func testFullScreenChangesTheAreaInTheTurnOfTheSize() async throws {
        for style in [UIWindowScene.WindowingControlStyle.unified, .minimal] {
            let (app, controller) = try shown(style)
            let before = controller.view.safeAreaInsets
            var tops: [CGFloat] = []
            final class Layouts: UIView {
                var onLayout: () -> Void = {}
                override func layoutSubviews() { onLayout() }
            }
            let view = Layouts()
            view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            view.frame = controller.view.bounds
            app.turn { controller.view.addSubview(view) }
            view.onLayout = {
                tops.append(
                    view.safeAreaInsets.top + view.edgeInsets(for: .safeArea(cornerAdaptation: .horizontal)).left)
            }
            try app.system.enterFullScreen(app.scene)
            XCTAssertNil(controller.view.window?.controlArea)
            XCTAssertEqual(controller.view.safeAreaInsets, .zero)
            try app.resize(700, 500)
            XCTAssertEqual(controller.view.safeAreaInsets, before)
            XCTAssertEqual(
                tops, style === UIWindowScene.WindowingControlStyle.unified ? [0, 76] : [0, 42], "one layout each")
        }
    }

    func testThePreferenceIsReadAfterConnectingAndAtEachForeground() async throws {
        let (app, controller) = try shown(.unified)
        XCTAssertEqual(StyledSceneDelegate.reads, 2, "connected, and in the foreground")
        StyledSceneDelegate.style = .minimal
        try app.resize(600, 500)
        XCTAssertEqual(controller.view.safeAreaInsets.top, 10, "not read yet")
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        XCTAssertEqual(StyledSceneDelegate.reads, 3)
        XCTAssertEqual(controller.view.safeAreaInsets.top, 42)
    }
}
