// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "orchard",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "settle", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "Orchard",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleREST", package: "settle"),
                .product(name: "SettleSync", package: "settle"),
            ])
    ]
)
