import Testing

@Suite struct `Package manifest` {
    private func house() throws -> Manifest {
        Manifest(text: try PackageTree.house().text(of: "Package.swift"))
    }

    @Test func `declares the arrows of the plan`() throws {
        let found = ManifestRule.violations(in: try house())
        #expect(found == [])
    }

    @Test func `declares nothing that is not imported`() throws {
        let files = try PackageTree.house().files(under: "Sources/", ending: ".swift")
        let found = ManifestRule.unused(in: try house(), files: files)
        #expect(found == [])
    }

    @Test func `is read in full`() throws {
        let manifest = try house()
        #expect(Set(HousePlan.rooms.keys).isSubset(of: Set(manifest.targets.keys)))
        #expect(manifest.testTargets.contains("HouseTests"))
        let sync = manifest.targets["SettleSync"]
        #expect(sync?.targets == ["Settle", "SettlePrimitives", "SettleTableProtocol"])
        #expect(sync?.products == ["CoreMetrics", "Logging"])
    }

    @Test func `keeps the server's packages away from an app`() throws {
        let reach = try house().reach(of: "Settle")
        #expect(reach.targets.contains("CLMDB"))
        // What a trait alone brings, and an app without it does not fetch.
        #expect(reach.products == ["Tracing"])
        #expect(try house().conditions["Tracing"] == ["tracing"])
    }

    @Test func `brings what apps do without by a trait alone, to tests too`() throws {
        let manifest = try house()
        #expect(ManifestRule.unconditional(in: manifest) == [])
        #expect(manifest.conditions["JWTKit"] == ["server"])
    }

    @Test func `with a package that every app would fetch is refused`() {
        let manifest = Manifest(
            text: """
                .target(
                    name: "SettleServer",
                    dependencies: [.product(name: "JWTKit", package: "jwt-kit", condition: server)]),
                .testTarget(
                    name: "ATests",
                    dependencies: [
                        .product(name: "JWTKit", package: "jwt-kit"),
                        .product(name: "Logging", package: "swift-log"),
                    ]),
                """)
        #expect(
            ManifestRule.unconditional(in: manifest) == [
                "JWTKit is somewhere without the condition of a trait, so every app fetches it."
            ])
    }

    @Test func `offers no product for the tests alone`() throws {
        let text = try PackageTree.house().text(of: "Package.swift")
        #expect(!text.contains("FaultShim"))
    }

    @Test func `names the platforms that are said to be usable`() throws {
        let text = try PackageTree.house().text(of: "Package.swift")
        #expect(text.contains("platforms: [.macOS(.v15)],"))
    }

    @Test func `with a server product below the front door is refused`() {
        let manifest = Manifest(
            text: """
                .target(name: "Settle", dependencies: ["SettleStorage"]),
                .target(
                    name: "SettleStorage",
                    // .product(name: "Old", package: "old")
                    dependencies: [
                        "SettleLMDB", .product(name: "NIOCore", package: "swift-nio"),
                    ]),
                """)
        let found = ManifestRule.violations(in: manifest)
        #expect(found.contains("SettleStorage may not depend on the product NIOCore."))
        #expect(
            found.contains(
                "The plan lets SettleStorage depend on SettleDocuments, which it does not."))
        #expect(
            found.contains("Settle reaches NIOCore, which no app should have to build."))
        #expect(!found.contains { $0.contains("Old") })
    }

    @Test func `with an arrow upwards is refused`() {
        let manifest = Manifest(
            text: #".target(name: "SettleSync", dependencies: ["Settle", "SettleREST"])"#)
        let found = ManifestRule.violations(in: manifest)
        #expect(found.contains("SettleSync may not depend on the target SettleREST."))
    }

    @Test func `with a target that is not in the plan is refused`() {
        let found = ManifestRule.violations(
            in: Manifest(text: #".executableTarget(name: "Extra")"#))
        #expect(found.contains("The target Extra is not in the plan."))
        #expect(found.contains("Package.swift has no target Settle."))
    }

    @Test func `with a dependency that nobody imports is refused`() {
        let manifest = Manifest(
            text: #".target(name: "SettleSync", dependencies: ["Settle", "SettleLMDB"])"#)
        let file = PackageTree.TextFile(path: "Sources/SettleSync/A.swift", text: "import Settle")
        #expect(
            ManifestRule.unused(in: manifest, files: [file]) == [
                "Package.swift declares SettleLMDB for SettleSync, which never imports it."
            ])
    }
}
