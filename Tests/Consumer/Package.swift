// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "field-service",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "settle", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "FieldService",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleREST", package: "settle"),
                .product(name: "SettleOutbox", package: "settle"),
                .product(name: "SettleSync", package: "settle"),
            ])
    ]
)
