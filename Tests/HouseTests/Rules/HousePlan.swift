/// Who may import whom: the drawing in Docs/Architecture.md as a table.
enum HousePlan {
    /// What a target may be built from.
    struct Room {
        /// Targets of this package.
        var targets: Set<String> = []
        /// Products of other packages.
        var products: Set<String> = []
        /// Whether Foundation and what comes with it may be imported.
        var mayUseFoundation = true
    }

    /// The source targets, lowest first.
    static let rooms: [String: Room] = [
        "CLMDB": Room(),
        "CICU": Room(),
        "CEdit": Room(),
        "CMalloc": Room(),
        "CPQ": Room(),
        "CThreads": Room(),
        "SettlePrimitives": Room(targets: ["CThreads"], mayUseFoundation: false),
        "SettleLMDB": Room(targets: ["CLMDB", "SettlePrimitives"], mayUseFoundation: false),
        "SettleDocuments": Room(targets: ["CICU", "SettlePrimitives"], mayUseFoundation: false),
        "SettlePQ": Room(targets: ["CPQ", "SettlePrimitives"]),
        "SettleOData": Room(targets: ["SettleDocuments"]),
        "SettleTableProtocol": Room(targets: ["SettleDocuments"], mayUseFoundation: false),
        "SettleStorage": Room(targets: ["SettleDocuments", "SettleLMDB", "SettlePrimitives"]),
        "SettleIndexing": Room(
            targets: ["SettleDocuments", "SettlePrimitives", "SettleStorage"]),
        "Settle": Room(
            targets: ["SettleDocuments", "SettleIndexing", "SettlePrimitives", "SettleStorage"],
            products: ["Tracing"]),
        "SettleOutbox": Room(targets: ["Settle", "SettlePrimitives"]),
        "SettleSync": Room(
            targets: ["Settle", "SettlePrimitives", "SettleTableProtocol"],
            products: ["CoreMetrics", "Logging"]),
        "SettleEntities": Room(targets: ["Settle", "SettlePrimitives", "SettleSync"]),
        "SettleREST": Room(
            targets: [
                "Settle", "SettleOData", "SettlePrimitives", "SettleSync", "SettleTableProtocol",
            ],
            products: ["HTTPTypes", "HTTPTypesFoundation"]),
        "SettleCosmos": Room(
            targets: [
                "Settle", "SettleDocuments", "SettleOutbox", "SettlePrimitives", "SettleREST",
                "SettleSync", "SettleTableProtocol",
            ],
            products: ["HTTPTypes"]),
        "SettleCosmosEncryption": Room(targets: ["SettleCosmos"], products: ["Crypto"]),
        "SettleServer": Room(
            targets: [
                "CMalloc", "Settle", "SettleOData", "SettlePrimitives", "SettleTableProtocol",
            ],
            products: [
                "AsyncHTTPClient", "Configuration", "CoreMetrics", "Crypto", "HTTPTypes",
                "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "JWTKit", "Logging", "NIOCore",
                "NIOHTTP1", "NIOHTTPCompression", "NIOPosix", "NIOSSL", "ServiceLifecycle",
            ]),
        "SettlePostgreSQL": Room(
            targets: [
                "Settle", "SettleOData", "SettlePQ", "SettlePrimitives", "SettleServer",
                "SettleTableProtocol",
            ],
            products: ["Logging"]),
        "SettleHosting": Room(
            targets: ["Settle", "SettleREST", "SettleServer", "SettleSync"],
            products: [
                "AsyncHTTPClient", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOHTTPCompression",
                "NIOPosix", "NIOSSL", "ServiceLifecycle",
            ]),
        "SettleInspector": Room(
            targets: [
                "Settle", "SettleEntities", "SettleOutbox", "SettlePrimitives", "SettleSync",
            ],
            products: [
                "HTTPTypes", "Hummingbird", "Logging", "Mustache", "NIOCore", "ServiceLifecycle",
            ]),
        "SettleCommand": Room(
            targets: [
                "CEdit", "Settle", "SettleCosmos", "SettleEntities", "SettleHosting",
                "SettleInspector", "SettleOutbox", "SettlePostgreSQL", "SettlePrimitives",
                "SettleREST",
                "SettleServer",
                "SettleSync",
            ],
            products: ["ArgumentParser", "Configuration", "Logging", "ServiceLifecycle"]),
    ]

    /// What the tests are built from and no source target is.
    static let testRooms: Set<String> = [
        "CIndexStore", "CosmosModel", "CosmosModelServer", "LogChild", "StoreChild", "TestSupport",
    ]

    /// Modules that come with the toolchain or the platform and need no declaration.
    static let platformModules: Set<String> = [
        "CryptoKit", "Darwin", "Dispatch", "Glibc", "Musl", "Observation", "Swift",
        "Synchronization",
    ]

    /// The same, but with Foundation in them or under them.
    static let foundationModules: Set<String> = [
        "Foundation", "FoundationNetworking", "Security",
    ]

    /// The products that apps fetch with the package; all others come with a trait.
    static let appProducts: Set<String> = [
        "CoreMetrics", "HTTPTypes", "HTTPTypesFoundation", "Logging", "MetricsTestKit",
    ]

    /// What no app that uses `Settle` alone may have to build.
    static func isServerProduct(_ product: String) -> Bool {
        product.hasPrefix("NIO") || product == "AsyncHTTPClient" || product.hasPrefix("Hummingbird")
            || product == "JWTKit" || product == "Configuration" || product == "Mustache"
            || product == "ServiceLifecycle" || product == "ArgumentParser"
    }
}
