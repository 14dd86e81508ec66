// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that whoever builds Settle builds neither GRDB nor SQLite.

let warningsAreErrors = Context.environment["SETTLE_WARNINGS_AS_ERRORS"] != nil

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "benchmarks", targets: ["Benchmarks"])
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        // Exact: the figures in Docs/Benchmarks.md name the version.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "LMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        // The floor: what liblmdb does by itself, called from C.
        .target(name: "Floor", dependencies: ["LMDB"]),
        // What the engines ask of the system, counted.
        .target(
            name: "Flushes",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "Allocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Allocations", "Floor", "Flushes",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleCosmos", package: "settle"),
                .product(name: "SettleEntities", package: "settle"),
                .product(name: "SettleREST", package: "settle"),
                .product(name: "SettleServer", package: "settle"),
                .product(name: "SettleOutbox", package: "settle"),
                .product(name: "SettleSync", package: "settle"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])),
    ]
)
