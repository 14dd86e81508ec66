// swift-tools-version: 6.2
import PackageDescription

// Programs that throw made-up input at the readers of JSON text, of packed documents and of filters,
// and at what is made of it. They are a package of their own because the fuzzer's instrumentation
// must reach into SettleDocuments, SettleOData and what is below them, which are built here a second
// time, through symbolic links.
//
//     swift run -c release --package-path Tests/Fuzzing fuzz-json -max_total_time=30 \
//         "$(mktemp -d)" Fixtures/Fuzzing/json

/// The settings of the sources that are instrumented.
let fuzzed: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-sanitize=fuzzer"]),
]

let fuzzer: [LinkerSetting] = [
    .unsafeFlags(["-sanitize=fuzzer"]),
    // Linux's default linker, gold, fails on the fuzzer's library.
    .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
]

let package = Package(
    name: "settle-fuzzing",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        .systemLibrary(name: "CICU"),
        .systemLibrary(name: "CThreads"),
        .target(name: "SettlePrimitives", dependencies: ["CThreads"], swiftSettings: fuzzed),
        .target(
            name: "SettleDocuments", dependencies: ["CICU", "SettlePrimitives"],
            swiftSettings: fuzzed,
            linkerSettings: [
                .linkedLibrary("_FoundationICU", .when(platforms: [.linux])),
                .linkedLibrary("icucore", .when(platforms: [.macOS])),
            ]),
        .executableTarget(
            name: "fuzz-json", dependencies: ["CFuzzer", "SettleDocuments"],
            swiftSettings: fuzzed, linkerSettings: fuzzer),
        .target(
            name: "SettleOData", dependencies: ["SettleDocuments"], swiftSettings: fuzzed),
        .executableTarget(
            name: "fuzz-odata", dependencies: ["CFuzzer", "SettleDocuments", "SettleOData"],
            swiftSettings: fuzzed, linkerSettings: fuzzer),
        .executableTarget(
            name: "fuzz-packed", dependencies: ["CFuzzer", "SettleDocuments"],
            swiftSettings: fuzzed, linkerSettings: fuzzer),
    ]
)
