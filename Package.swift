// swift-tools-version: 6.2
import PackageDescription

// What a live engine's loop waits with: libuv, eventfd and timerfd on Linux; poll, a pipe and no libuv elsewhere, and
// where SETTLE_POLL is set (docs/internals/design.md).
#if os(Linux)
    let isPolling = Context.environment["SETTLE_POLL"] != nil
#else
    let isPolling = true
#endif

let package = Package(
    name: "Settle",
    products: [
        .library(name: "Settle", targets: ["Settle"]),
        .library(name: "SettleHandlers", targets: ["SettleHandlers"]),
        .library(name: "SettleLoop", targets: ["SettleLoop"]),
        .library(name: "SettleLog", targets: ["SettleLog"]),
        .library(name: "SettleServer", targets: ["SettleServer"]),
        .library(name: "SettleSources", targets: ["SettleSources"]),
        .library(name: "SettleSweep", targets: ["SettleSweep"]),
        .library(name: "SettleC", targets: ["CSettle"]),
        .library(name: "UIKit", targets: ["UIKit"]),
        .executable(name: "settle", targets: ["SettleCommand"]),
        .executable(name: "settle-demo", targets: ["SettleDemo"]),
        .executable(name: "settle-game", targets: ["DrivingGame"]),
        .executable(name: "settle-mail", targets: ["Mail"]),
    ],
    targets: [
        // The decision core and the binary log's codec: C11, no libuv, no allocation.
        .target(name: "CSettle", path: "CSources/CSettle", exclude: ["settle.map"]),
        .systemLibrary(name: "CLibuv", path: "CSources/CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),

        // Values, policies and the engine; time is an argument.
        .target(name: "Settle", dependencies: ["CSettle"], linkerSettings: [.linkedLibrary("m")]),
        // Threads, locks, descriptors, sockets and clocks of the system.
        .systemLibrary(name: "CPlatform", path: "CSources/CPlatform"),
        .target(
            name: "SettlePlatform", dependencies: ["CPlatform"],
            exclude: isPolling ? ["Eventfd.swift", "Timerfd.swift"] : ["Pipe.swift"]),
        // Unpacks compressed logs by the system's libraries, which it loads when they are needed.
        .target(name: "CUnpack", path: "CSources/CUnpack"),
        // The system's clock, in the engine's times.
        .target(name: "SettleClock", dependencies: ["CPlatform", "Settle"]),
        // What runs tasks and sleeps: the rebuilder and the streams.
        .target(name: "SettleHandlers", dependencies: ["Settle", "SettlePlatform"]),
        .target(
            name: "SettleLoop",
            dependencies: (isPolling ? [] : ["CLibuv"]) + [
                "CSettle", "Settle", "SettleClock", "SettleHandlers", "SettlePlatform",
            ],
            exclude: [isPolling ? "Libuv" : "Poll"]),
        .target(name: "SettleLog", dependencies: ["CSettle", "CUnpack", "Settle", "SettlePlatform"]),
        .target(name: "SettleServer", dependencies: ["Settle", "SettleClock", "SettleLog", "SettlePlatform"]),
        // Window systems' libraries, loaded when they are used: programs link none of them.
        .target(name: "CWindowSystems", path: "CSources/CWindowSystems"),
        // A terminal's modes, a program in a session of its own, and a model of its screen.
        .target(name: "CTerminal", dependencies: ["CWindowSystems"], path: "CSources/CTerminal"),
        // Live events of a desktop, of an app behind a proxy, and of a terminal.
        .target(
            name: "SettleSources",
            dependencies: [
                "CTerminal", "CWindowSystems", "Settle", "SettleClock", "SettleLog", "SettleLoop", "SettlePlatform",
            ]),
        // Logs decided under many policies, on many threads.
        .target(name: "SettleSweep", dependencies: ["CSettle", "Settle", "SettleLog", "SettlePlatform"]),
        // The page of `settle report`, without a log: generated, see docs/guide/reports.md.
        .target(name: "CGeneratedPage", path: "CSources/CGeneratedPage", exclude: ["head.html", "tail.html"]),
        // What other programs show of a log: a page, a picture, tables and traces.
        .target(
            name: "SettleReport", dependencies: ["CGeneratedPage", "CSettle", "Settle", "SettleLog"], exclude: ["Page"]),
        // Named as Apple's, so that code written for UIKit scenes compiles as it stands.
        .target(name: "UIKit", dependencies: ["CSettle", "Settle", "SettleClock", "SettleLog", "SettlePlatform"]),
        // In a folder of another name than the library's, so that a checkout works
        // on file systems that ignore case.
        .target(name: "CCommandLine", path: "CSources/CCommandLine"),
        .target(name: "CTableScreen", dependencies: ["CWindowSystems"], path: "CSources/CTableScreen"),
        // How the programs `settle` and `settle-demo` end.
        .target(name: "SettleProgram", dependencies: ["CCommandLine", "Settle", "SettleClock", "SettlePlatform"]),
        // Keyed hashes, for `settle anonymize` alone.
        .systemLibrary(
            name: "CSodium", path: "CSources/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .executableTarget(
            name: "SettleCommand",
            dependencies: [
                "CCommandLine", "CSettle", "CSodium", "CTableScreen", "Settle", "SettleClock", "SettleLog",
                "SettleLoop",
                "SettlePlatform", "SettleProgram", "SettleReport", "SettleServer", "SettleSources", "SettleSweep",
            ]),

        // A window that shows what debouncing saves.
        .target(name: "CDemoWindow", dependencies: ["CWindowSystems"], path: "CSources/CDemoWindow"),
        .executableTarget(
            name: "SettleDemo",
            dependencies: [
                "CCommandLine", "CDemoWindow", "Settle", "SettleClock", "SettleLog", "SettleLoop", "SettlePlatform",
                "SettleProgram",
            ]),

        // Apps for UIKit's scenes, which `settle replay --app game` and `--app mail` run.
        .executableTarget(
            name: "DrivingGame", dependencies: ["UIKit"], path: "Sources/Examples/DrivingGame",
            resources: [.copy("Resources")]),
        .executableTarget(
            name: "Mail", dependencies: ["UIKit"], path: "Sources/Examples/Mail", resources: [.copy("Resources")]),

        // Ends tests that hang, and what tests started.
        .target(name: "CTestGuard", path: "Tests/Guard"),
        .target(
            name: "TestSupport", dependencies: ["CSettle", "CTestGuard", "Settle", "SettlePlatform"],
            path: "Tests/Support"),
        // Reads and plays Tests/Cases; main.c is the program of scripts/checks/cases.
        .target(
            name: "CCaseRunner", dependencies: ["CSettle"], path: "Tests/CaseRunner",
            exclude: ["main.c", "preparations"]),
        .testTarget(name: "SettleTests", dependencies: ["CCaseRunner", "CSettle", "Settle", "TestSupport"]),
        .testTarget(
            name: "SettleHandlersTests",
            dependencies: ["Settle", "SettleClock", "SettleHandlers", "SettlePlatform", "TestSupport"]),
        .testTarget(
            name: "SettleLogTests",
            dependencies: ["CCaseRunner", "CSettle", "SettleLog", "SettlePlatform", "TestSupport"]),
        .testTarget(
            name: "SettleReportTests", dependencies: ["CSettle", "Settle", "SettleLog", "SettleReport", "TestSupport"]),
        // Counts its own threads and descriptors, which tests that run side by side cannot.
        .executableTarget(
            name: "LoopProbe",
            dependencies: [
                "Settle", "SettleClock", "SettleLog", "SettleLoop", "SettlePlatform", "SettleServer", "SettleSources",
            ],
            path: "Tests/LoopProbe"),
        .testTarget(
            name: "SettleLoopTests", dependencies: ["LoopProbe", "SettleLoop", "SettlePlatform", "TestSupport"]),
        .testTarget(
            name: "SettleServerTests",
            dependencies: [
                "LoopProbe", "Settle", "SettleClock", "SettleLog", "SettlePlatform", "SettleServer", "TestSupport",
            ]),
        .testTarget(
            name: "SettleSourcesTests",
            dependencies: [
                "CTerminal", "CWindowSystems", "Settle", "SettleClock", "SettleLog", "SettleLoop", "SettlePlatform",
                "SettleSources",
                "TestSupport",
            ]),
        .testTarget(name: "SettleDemoTests", dependencies: ["Settle", "SettleDemo", "SettleLog", "TestSupport"]),
        .testTarget(
            name: "SettleSweepTests",
            dependencies: [
                "CCaseRunner", "CSettle", "Settle", "SettleLog", "SettlePlatform", "SettleSweep", "TestSupport",
            ]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Settle", "SettleHandlers", "SettleLog", "SettleLoop", "SettlePlatform", "TestSupport"]),
        .testTarget(
            name: "SettleCommandTests",
            dependencies: ["SettleClock", "SettleCommand", "SettlePlatform", "SettleSources", "TestSupport"]),
        .executableTarget(name: "RestorationWriter", dependencies: ["UIKit"], path: "Tests/RestorationWriter"),
        .executableTarget(name: "SceneApp", dependencies: ["UIKit"], path: "Tests/SceneApp"),
        // One file in two language modes, as apps subclass what is open.
        .target(name: "SubclassesInSwift6", dependencies: ["UIKit"], path: "Tests/Subclasses/Swift6"),
        .target(
            name: "SubclassesInSwift5", dependencies: ["UIKit"], path: "Tests/Subclasses/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "UIKitTests",
            dependencies: [
                "CSettle", "RestorationWriter", "SceneApp", "SettlePlatform", "SubclassesInSwift5",
                "SubclassesInSwift6",
                "TestSupport", "UIKit",
            ],
            exclude: ["AppleNames.txt"]),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["DrivingGame", "Mail", "Settle", "SettleCommand", "SettleLog", "TestSupport"],
            exclude: ["Golden"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
