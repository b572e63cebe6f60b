// swift-tools-version: 6.2
import PackageDescription

// The benchmarks are a package of their own, so that whoever builds or uses Settle does
// not build them. The C and node peers need packages that a user lacks; scripts/bench
// builds those.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Settle", path: "..")],
    targets: [
        .target(name: "BenchSupport", path: "BenchSupport"),
        // The command's speed on a large log.
        .executableTarget(
            name: "SettleBench",
            dependencies: [
                "BenchSupport", .product(name: "Settle", package: "Settle"),
                .product(name: "SettleC", package: "Settle"), .product(name: "SettleLog", package: "Settle"),
            ],
            path: "SettleBench"),
        // The sweep of policies over a recording.
        .executableTarget(
            name: "SweepBench",
            dependencies: [
                "BenchSupport", .product(name: "SettleC", package: "Settle"),
                .product(name: "SettleLog", package: "Settle"),
            ],
            path: "SweepBench"),
        // The reader of JSON Lines, with its fast way and without; its peer is Peers/json_simdjson.cpp.
        .executableTarget(
            name: "JSONLinesBench",
            dependencies: ["BenchSupport", .product(name: "SettleLog", package: "Settle")],
            path: "JSONLinesBench"),
        // The engine beside other ways to debounce in Swift.
        .executableTarget(
            name: "SwiftPeers", dependencies: ["BenchSupport", .product(name: "Settle", package: "Settle")],
            path: "SwiftPeers"),
        // The live engine's throughput and lateness.
        .executableTarget(
            name: "LiveBench",
            dependencies: [
                "BenchSupport", .product(name: "Settle", package: "Settle"),
                .product(name: "SettleLoop", package: "Settle"),
            ],
            path: "LiveBench"),
        // The programs whose instructions and allocations scripts/checks/gates counts.
        .executableTarget(
            name: "Gates",
            dependencies: [
                .product(name: "Settle", package: "Settle"), .product(name: "SettleLoop", package: "Settle"),
            ],
            path: "Gates"),
        // The cost of a callback in UIKit.
        .executableTarget(
            name: "SceneBench",
            dependencies: [.product(name: "Settle", package: "Settle"), .product(name: "UIKit", package: "Settle")],
            path: "SceneBench"),
    ],
    swiftLanguageModes: [.v6]
)
