import TestSupport
import XCTest

@testable import UIKit

/// The scenes that a manifest declares, and how it is refused.
final class SceneManifestTests: XCTestCase {
    private let app = "UIWindowSceneSessionRoleApplication"
    private let external = "UIWindowSceneSessionRoleExternalDisplayNonInteractive"

    /// As Xcode writes it, with a comment, a doctype and keys of other concerns.
    private let written = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>CFBundleName</key>
            <string>Clock</string>
            <key>UIApplicationSceneManifest</key>
            <dict>
                <key>UIApplicationSupportsMultipleScenes</key>
                <true/>
                <key>UISceneConfigurations</key>
                <dict>
                    <!-- The first is what opens. -->
                    <key>UIWindowSceneSessionRoleApplication</key>
                    <array>
                        <dict>
                            <key>UISceneConfigurationName</key>
                            <string>Dial</string>
                            <key>UISceneDelegateClassName</key>
                            <string>$(PRODUCT_MODULE_NAME).DialDelegate</string>
                            <key>UISceneStoryboardFile</key>
                            <string>Dial</string>
                            <key>UIUnknownToUs</key>
                            <integer>3</integer>
                        </dict>
                        <dict>
                            <key>UISceneConfigurationName</key>
                            <string>Alarms</string>
                            <key>UISceneClassName</key>
                            <string>${PRODUCT_MODULE_NAME}.AlarmScene</string>
                            <key>UISceneDelegateClassName</key>
                            <string>AlarmDelegate</string>
                        </dict>
                    </array>
                    <key>UIWindowSceneSessionRoleExternalDisplayNonInteractive</key>
                    <array>
                        <dict>
                            <key>UISceneConfigurationName</key>
                            <string>Dial</string>
                        </dict>
                    </array>
                </dict>
            </dict>
        </dict>
        </plist>
        """

    private func checkWritten(_ info: InfoPropertyList, _ message: String) throws {
        let manifest = try XCTUnwrap(info.sceneManifest, message)
        XCTAssertTrue(manifest.supportsMultipleScenes, message)
        XCTAssertTrue(manifest.declaresScenes, message)
        XCTAssertEqual(Set(manifest.configurations.keys), [app, external], message)
        let dial = manifest.defaultEntry(role: app)
        XCTAssertEqual(dial?.name, "Dial", message)
        XCTAssertEqual(dial?.sceneClassName, "UIWindowScene", message)
        XCTAssertEqual(dial?.delegateClassName, "Clock.DialDelegate", message)
        XCTAssertEqual(dial?.storyboardName, "Dial", message)
        let alarms = manifest.entry(named: "Alarms", role: app)
        XCTAssertEqual(alarms?.sceneClassName, "Clock.AlarmScene", message)
        XCTAssertEqual(alarms?.delegateClassName, "AlarmDelegate", message)
        XCTAssertEqual(alarms?.storyboardName, nil, message)
        XCTAssertEqual(manifest.entry(named: "Dial", role: external)?.delegateClassName, nil, message)
        XCTAssertNil(manifest.entry(named: "Alarms", role: external), message)
        XCTAssertNil(manifest.defaultEntry(role: "other"), message)
        XCTAssertEqual(info.warnings, [], message)
    }

    func testXMLBinaryAndAFileSayTheSame() throws {
        let xml = Data(written.utf8)
        try checkWritten(InfoPropertyList(data: xml, file: "Info.plist", moduleName: "Clock"), "XML")
        let list = try XCTUnwrap(PropertyListSerialization.propertyList(from: xml, format: nil) as? [String: Any])
        try checkWritten(infoPlist(list, format: .binary), "binary")
        let folder = TemporaryFolder()
        try xml.write(to: URL(fileURLWithPath: folder.file("Info.plist")))
        try checkWritten(InfoPropertyList(path: folder.file("Info.plist"), moduleName: "Clock"), "file")
    }

    func testMissingKeys() throws {
        XCTAssertNil(try infoPlist([:]).sceneManifest)
        let empty = try XCTUnwrap(manifest([:]))
        XCTAssertFalse(empty.supportsMultipleScenes)
        XCTAssertFalse(empty.declaresScenes)
        XCTAssertEqual(try manifest(["UISceneConfigurations": [app: [] as [Any]]])?.declaresScenes, false)
        let bare = try manifest(["UISceneConfigurations": [app: [[String: Any]()]]])?.defaultEntry(role: app)
        XCTAssertEqual(bare, SceneManifest.Entry())
    }

    func testASecondConfigurationOfANameIsRefusedWhereThereAreManyScenes() throws {
        func twice(multiple: Bool) throws -> SceneManifest? {
            let list = ["One", "Two", "One"].enumerated().map {
                ["UISceneConfigurationName": $0.element, "UISceneStoryboardFile": "\($0.offset)"]
            }
            return try manifest(["UIApplicationSupportsMultipleScenes": multiple, "UISceneConfigurations": [app: list]])
        }
        let message = try XCTUnwrap(refusal(try twice(multiple: true)))
        let place = "UIApplicationSceneManifest.UISceneConfigurations.\(app)[2]"
        XCTAssert(message.hasPrefix("Info.plist: \(place): \"One\" is the name of another"), message)
        let single = try twice(multiple: false)
        XCTAssertEqual(single?.entry(named: "One", role: app)?.storyboardName, "0")
        XCTAssertEqual(single?.configurations[app]?.count, 3)
        // Two without a name are no two of a name.
        XCTAssertNil(
            refusal(
                try manifest([
                    "UIApplicationSupportsMultipleScenes": true,
                    "UISceneConfigurations": [app: [[String: Any](), [String: Any]()]],
                ])))
    }

    func testWrongTypesAreReportedByTheirKeyPath() throws {
        /// A manifest with a value at the place, which the key path names.
        func manifest(_ path: String, _ value: Any) -> (path: String, [String: Any]) {
            let list = "UISceneConfigurations"
            let content: Any =
                switch path {
                case "": value
                case list: [list: value]
                case "\(list).\(app)": [list: [app: value]]
                case "\(list).\(app)[0]": [list: [app: [value]]]
                case let path where path.hasPrefix(list):
                    [list: [app: [[:], [path.split(separator: ".").last!: value]]]]
                default: [path: value]
                }
            let root = "UIApplicationSceneManifest"
            return (path.isEmpty ? root : "\(root).\(path)", [root: content])
        }
        let (list, second) = ("UISceneConfigurations", "UISceneConfigurations.\(app)[1]")
        let cases: [(String, Any, String)] = [
            ("", "yes", "expected a dictionary, found a string"),
            ("UIApplicationSupportsMultipleScenes", "maybe", "expected a boolean, found a string"),
            ("UIApplicationSupportsMultipleScenes", 2, "expected a boolean, found a number"),
            (list, [1], "expected a dictionary, found an array"),
            ("\(list).\(app)", ["a": 1], "expected an array, found a dictionary"),
            ("\(list).\(app)[0]", Date(), "expected a dictionary, found a date"),
            ("\(second).UISceneConfigurationName", 4, "expected a string, found a number"),
            ("\(second).UISceneClassName", true, "expected a string, found a boolean"),
            ("\(second).UISceneDelegateClassName", Data([1]), "expected a string, found data"),
            ("\(second).UISceneDelegateClassName", "", "is empty; write a class's name or remove the key"),
            ("\(second).UISceneStoryboardFile", [1], "expected a string, found an array"),
        ]
        for (path, value, problem) in cases {
            let (place, content) = manifest(path, value)
            for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
                XCTAssertEqual(refusal(try infoPlist(content, format: format)), "Info.plist: \(place): \(problem)")
            }
        }
    }

    func testWhatIsNoPropertyListIsRefused() throws {
        func read(_ text: String) -> String? {
            refusal(try InfoPropertyList(data: Data(text.utf8), file: "Info.plist", moduleName: "Clock"))
        }
        for text in ["", "<plist>", "bplist00", String(repeating: "<array>", count: 100_000)] {
            let message = try XCTUnwrap(read(text), text)
            XCTAssert(message.hasPrefix("Info.plist: is not a property list in XML or binary format"), message)
        }
        XCTAssertEqual(
            read("<plist version=\"1.0\"><array/></plist>"), "Info.plist: expected a dictionary, found an array")
        XCTAssertEqual(
            read(String(repeating: " ", count: 5 << 20)),
            "Info.plist: has more than \(4 << 20) bytes; is it an Info.plist?")
        let missing = try XCTUnwrap(refusal(try InfoPropertyList(path: "/nowhere/Info.plist", moduleName: "Clock")))
        XCTAssert(missing.hasPrefix("/nowhere/Info.plist: cannot be read"), missing)
    }

    /// The binary format has a mark for sets, on which Foundation's reader crashes.
    func testASetIsRefused() throws {
        let list = ["A": ["x"]]
        var data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let array = try XCTUnwrap(data.firstIndex(of: 0xA1))
        data[array] = 0xC1
        XCTAssertEqual(
            refusal(try InfoPropertyList(data: data, file: "Info.plist", moduleName: "Clock")),
            "Info.plist: is not a property list: it contains a set, which is not a type of property lists")
        let stored = try PropertyListEncoder().encode([data])
        XCTAssertThrowsError(try PropertyListDecoder().decode([StoredDictionary].self, from: stored))
    }

    /// Random damage gives a manifest or an error, and no trap.
    func testDamageNeverTraps() throws {
        let xml = Data(written.utf8)
        let list = try PropertyListSerialization.propertyList(from: xml, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let seed: UInt64 = 3
        var random = SplitMix64(seed: seed)
        for whole in [xml, binary] {
            var refused = 0
            for round in 0..<1000 {
                var damaged = whole
                for _ in 0...random.below(3) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
                if random.chance(20) { damaged = damaged.prefix(random.below(damaged.count)) }
                let message = refusal(try InfoPropertyList(data: damaged, file: "Info.plist", moduleName: "Clock"))
                if let message {
                    refused += 1
                    XCTAssert(message.hasPrefix("Info.plist: "), "\(message), round \(round), seed \(seed)")
                }
            }
            XCTAssertGreaterThan(refused, 100)
        }
    }
}
