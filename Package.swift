// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Targets stand in floor order (Docs/Architecture.md); HouseTests holds the arrows.

let warningsAreErrors = Context.environment["SETTLE_WARNINGS_AS_ERRORS"] != nil

/// For a build with a sanitizer, which does not see the locks of the standard library.
let locksAreSanitized = Context.environment["SETTLE_SANITIZED_LOCKS"] != nil

/// The settings of every Swift target of the package.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
    + (locksAreSanitized ? [.define("SETTLE_SANITIZED_LOCKS")] : [])

/// The settings of every source target outside SettleLMDB and SettlePQ, the rooms for unsafe code.
let safe: [SwiftSetting] = house + [.strictMemorySafety()]

/// The settings of the floors that hand out spans, which cannot outlive what they lie in.
let spans: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

// What only a trait needs has a condition, in tests too; without the trait it is not resolved.
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let hosting: TargetDependencyCondition? = .when(traits: ["Hosting"])
let postgreSQL: TargetDependencyCondition? = .when(traits: ["PostgreSQL"])
let tool: TargetDependencyCondition? = .when(traits: ["Tool"])
let encryption: TargetDependencyCondition? = .when(traits: ["Encryption"])
let tracing: TargetDependencyCondition? = .when(traits: ["Tracing"])
let inspector: TargetDependencyCondition? = .when(traits: ["Inspector"])
/// Where libedit is not to be found, the tool's shell reads plain lines, and all builds the same.
let hasLineEditing = FileManager.default.fileExists(atPath: "/usr/include/histedit.h")
let lineEditing: TargetDependencyCondition? = .when(traits: ["LineEditing"])

/// For a build of the documentation, whose plugin no app fetches.
let isDocumented = Context.environment["SETTLE_DOCUMENTATION"] != nil

let package = Package(
    name: "settle",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Settle", targets: ["Settle"]),
        .library(name: "SettleOutbox", targets: ["SettleOutbox"]),
        .library(name: "SettleSync", targets: ["SettleSync"]),
        .library(name: "SettleEntities", targets: ["SettleEntities"]),
        .library(name: "SettleREST", targets: ["SettleREST"]),
        .library(name: "SettleCosmos", targets: ["SettleCosmos"]),
        .library(name: "SettleCosmosEncryption", targets: ["SettleCosmosEncryption"]),
        .library(name: "SettleHosting", targets: ["SettleHosting"]),
        .library(name: "SettleServer", targets: ["SettleServer"]),
        .library(name: "SettlePostgreSQL", targets: ["SettlePostgreSQL"]),
        .library(name: "SettleInspector", targets: ["SettleInspector"]),
        .executable(name: "settle", targets: ["SettleCommand"]),
    ],
    traits: [
        .trait(name: "Server", description: "SettleServer: a server of tables, over HTTP."),
        .trait(
            name: "PostgreSQL",
            description: "SettlePostgreSQL: the server's tables in PostgreSQL. Needs libpq.",
            enabledTraits: ["Server"]),
        .trait(name: "Hosting", description: "SettleHosting: replication over AsyncHTTPClient."),
        .trait(name: "Encryption", description: "SettleCosmosEncryption: AES-GCM by swift-crypto."),
        .trait(name: "Inspector", description: "SettleInspector: a database in a browser."),
        .trait(
            name: "Tool", description: "The command-line tool settle.",
            enabledTraits: ["Server", "Hosting", "Inspector"]),
        .trait(name: "LineEditing", description: "Editing in the tool's shell. Needs libedit."),
        .trait(name: "Tracing", description: "Spans of work, by swift-distributed-tracing."),
        // Tracing is among them since it brings no package: Hummingbird needs the same.
        .default(
            enabledTraits: Set([
                "Server", "PostgreSQL", "Hosting", "Encryption", "Inspector", "Tool", "Tracing",
            ]).union(hasLineEditing ? ["LineEditing"] : [])),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.2.0"),
    ]
        + (isDocumented
            ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")]
            : []),
    targets: [
        // Floor 0: C libraries, what every floor needs, values.
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CICU"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CThreads"),
        .systemLibrary(
            name: "CPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CEdit", pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
        .target(name: "SettlePrimitives", dependencies: ["CThreads"], swiftSettings: safe),
        .target(
            name: "SettleLMDB", dependencies: ["CLMDB", "SettlePrimitives"],
            swiftSettings: house + spans),
        .target(
            name: "SettleDocuments",
            dependencies: ["CICU", "SettlePrimitives"], swiftSettings: safe + spans,
            linkerSettings: [
                // Foundation brings ICU along; Apple's systems have one of their own.
                .linkedLibrary("_FoundationICU", .when(platforms: [.linux])),
                .linkedLibrary("icucore", .when(platforms: [.macOS])),
            ]),

        .target(
            name: "SettlePQ", dependencies: ["CPQ", "SettlePrimitives"], swiftSettings: house),

        // Floor 1: documents as rows; expressions over them.
        .target(
            name: "SettleStorage",
            dependencies: ["SettleDocuments", "SettleLMDB", "SettlePrimitives"],
            swiftSettings: safe + spans),

        .target(
            name: "SettleOData", dependencies: ["SettleDocuments"], swiftSettings: safe),

        .target(
            name: "SettleTableProtocol", dependencies: ["SettleDocuments"], swiftSettings: safe),

        // Floor 2: map, collate, reduce, query.
        .target(
            name: "SettleIndexing",
            dependencies: ["SettleDocuments", "SettlePrimitives", "SettleStorage"],
            swiftSettings: safe),

        // Floor 3: the front door.
        .target(
            name: "Settle",
            dependencies: [
                "SettleDocuments", "SettleIndexing", "SettlePrimitives", "SettleStorage",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            swiftSettings: safe + spans),

        // Floor 4: what is built over the front door.
        .target(
            name: "SettleOutbox", dependencies: ["Settle", "SettlePrimitives"],
            swiftSettings: safe),
        .target(
            name: "SettleSync",
            dependencies: [
                "Settle", "SettlePrimitives", "SettleTableProtocol",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: safe),

        // Entities, whose merging and scope the replicator is given.
        .target(
            name: "SettleEntities", dependencies: ["Settle", "SettlePrimitives", "SettleSync"],
            swiftSettings: safe),

        // Floor 5: HTTP.
        .target(
            name: "SettleREST",
            dependencies: [
                "Settle", "SettleOData", "SettlePrimitives", "SettleSync", "SettleTableProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
            ],
            swiftSettings: safe),
        .target(
            name: "SettleCosmos",
            dependencies: [
                "Settle", "SettleDocuments", "SettleOutbox", "SettlePrimitives", "SettleREST",
                "SettleSync", "SettleTableProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: safe),
        .target(
            name: "SettleCosmosEncryption",
            dependencies: [
                "SettleCosmos",
                .product(name: "Crypto", package: "swift-crypto", condition: encryption),
            ],
            swiftSettings: safe),
        .target(
            name: "SettleServer",
            dependencies: [
                "CMalloc", "Settle", "SettleOData", "SettlePrimitives", "SettleTableProtocol",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "Configuration", package: "swift-configuration", condition: server),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(
                    name: "NIOHTTPCompression", package: "swift-nio-extras", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: safe),
        .target(
            name: "SettlePostgreSQL",
            dependencies: [
                "Settle", "SettleOData", "SettlePQ", "SettlePrimitives", "SettleServer",
                "SettleTableProtocol",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: safe),

        .target(
            name: "SettleHosting",
            dependencies: [
                "Settle", "SettleREST", "SettleSync",
                .byName(name: "SettleServer", condition: server),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: hosting),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio", condition: hosting),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: hosting),
                .product(
                    name: "NIOHTTPCompression", package: "swift-nio-extras", condition: hosting),
                .product(name: "NIOPosix", package: "swift-nio", condition: hosting),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: hosting),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: hosting
                ),
            ],
            swiftSettings: safe),

        // Pages in a browser, for a database and what is built over it.
        .target(
            name: "SettleInspector",
            dependencies: [
                "Settle", "SettleEntities", "SettleOutbox", "SettlePrimitives", "SettleSync",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: inspector),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache", condition: inspector),
                .product(name: "NIOCore", package: "swift-nio", condition: inspector),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: inspector),
            ],
            resources: [.embedInCode("Assets"), .embedInCode("Templates")],
            swiftSettings: safe),

        // Floor 6: the tool.
        .executableTarget(
            name: "SettleCommand",
            dependencies: [
                "Settle", "SettleCosmos", "SettleEntities", "SettleHosting", "SettleInspector",
                "SettleOutbox", "SettlePrimitives", "SettleREST", "SettleServer", "SettleSync",
                .byName(name: "CEdit", condition: lineEditing),
                .byName(name: "SettlePostgreSQL", condition: postgreSQL),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tool),
                .product(name: "Configuration", package: "swift-configuration", condition: tool),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tool),
            ],
            swiftSettings: safe),

        // Tests. TestSupport may be imported by every one of them and by nothing else.
        .target(
            name: "TestSupport", dependencies: ["Settle", "SettleIndexing", "SettlePrimitives"],
            path: "Tests/TestSupport", swiftSettings: house),
        .testTarget(
            name: "SettlePrimitivesTests", dependencies: ["SettlePrimitives", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleLMDBTests",
            dependencies: ["CLMDB", "SettleLMDB", "SettlePrimitives", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleDocumentsTests",
            dependencies: [
                "SettleDocuments", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto", condition: server),
            ],
            swiftSettings: house + spans),
        .testTarget(
            name: "SettleStorageTests",
            dependencies: [
                "SettleDocuments", "SettleLMDB", "SettlePrimitives", "SettleStorage", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettlePQTests", dependencies: ["SettlePQ", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "SettleODataTests",
            dependencies: ["SettleDocuments", "SettleOData", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleTableProtocolTests",
            dependencies: ["SettleDocuments", "SettleTableProtocol", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleIndexingTests",
            dependencies: [
                "SettleDocuments", "SettleIndexing", "SettlePrimitives", "SettleStorage",
                "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleTests",
            dependencies: [
                "Settle", "SettlePrimitives", "TestSupport",
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: tracing),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleOutboxTests", dependencies: ["Settle", "SettleOutbox", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleSyncTests",
            dependencies: [
                // One suite holds the rules of an outbox against those of a replication.
                "Settle", "SettleOutbox", "SettlePrimitives", "SettleSync", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleEntitiesTests",
            dependencies: ["Settle", "SettleEntities", "SettleSync", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "SettleRESTTests",
            dependencies: [
                "Settle", "SettleOData", "SettleREST", "SettleSync", "SettleTableProtocol",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleCosmosTests",
            dependencies: [
                "CosmosModel", "Settle", "SettleCosmos", "SettleDocuments", "SettleOutbox",
                "SettleREST", "SettleSync", "TestSupport",
                .byName(name: "SettleCosmosEncryption", condition: encryption),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleHostingTests",
            dependencies: [
                "Settle", "SettleHosting", "SettleREST", "SettleSync", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: hosting),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: hosting),
                .product(name: "NIOPosix", package: "swift-nio", condition: hosting),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: hosting),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: hosting
                ),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleServerTests",
            dependencies: [
                "Settle", "SettleIndexing", "SettleOData", "SettlePQ", "SettlePostgreSQL",
                "SettleServer", "SettleTableProtocol", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "Configuration", package: "swift-configuration", condition: server),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: server),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: tracing),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleInspectorTests",
            dependencies: [
                "Settle", "SettleEntities", "SettleInspector", "SettleOutbox", "SettleSync",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: inspector),
                .product(name: "NIOCore", package: "swift-nio", condition: inspector),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SettleCommandTests",
            dependencies: [
                "CosmosModel", "Settle", "SettleCommand", "SettleCosmos", "SettleEntities",
                "SettleInspector", "SettleOutbox", "SettleSync", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tool),
            ],
            swiftSettings: house),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Settle", "SettleHosting", "SettlePostgreSQL", "SettleREST", "SettleServer",
                "SettleSync", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: house),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "Settle", "SettleEntities", "SettleHosting", "SettleOutbox", "SettleREST",
                "SettleServer", "SettleSync", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: tracing),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            swiftSettings: house),
        // What must hold when a process is killed or the system fails.
        .executableTarget(
            name: "StoreChild",
            dependencies: ["Settle", "SettleOutbox", "SettleREST", "SettleSync", "TestSupport"],
            path: "Tests/StoreChild", swiftSettings: house),
        .executableTarget(
            name: "LogChild", dependencies: ["SettleLMDB"], path: "Tests/LogChild",
            swiftSettings: house),
        .testTarget(
            name: "PromiseTests",
            dependencies: [
                "LogChild", "SettleLMDB",
                // The tool, which is started as a server.
                "SettleCommand",
                "Settle", "SettleOutbox", "SettleREST", "SettleSync", "StoreChild", "TestSupport",
            ],
            swiftSettings: house),
        // A model of Cosmos DB's service, which a client of it is tested against.
        .target(
            name: "CosmosModel",
            dependencies: [
                "SettleDocuments",
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            path: "Tests/CosmosModel", swiftSettings: house),
        .executableTarget(
            name: "CosmosModelServer", dependencies: ["CosmosModel"],
            path: "Tests/CosmosModelServer", swiftSettings: house),
        .testTarget(
            name: "CosmosModelTests",
            dependencies: [
                "CosmosModel", "SettleDocuments", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto", condition: server),
            ],
            swiftSettings: house),
        .target(name: "CIndexStore", path: "Tests/CIndexStore"),
        .testTarget(
            name: "HouseTests", dependencies: ["CIndexStore", "TestSupport"], swiftSettings: house),
    ]
)
