/// Package.swift declares the arrows of the plan and no others.
enum ManifestRule {
    /// What is wrong with the declared dependencies of the source targets.
    static func violations(in manifest: Manifest) -> [String] {
        var faults: [String] = []
        for (target, room) in HousePlan.rooms.sorted(by: { $0.key < $1.key }) {
            guard let declared = manifest.targets[target] else {
                faults.append("Package.swift has no target \(target).")
                continue
            }
            for name in declared.targets.subtracting(room.targets).sorted() {
                faults.append("\(target) may not depend on the target \(name).")
            }
            for name in declared.products.subtracting(room.products).sorted() {
                faults.append("\(target) may not depend on the product \(name).")
            }
            let wide = room.targets.subtracting(declared.targets)
                .union(room.products.subtracting(declared.products))
            for name in wide.sorted() {
                faults.append("The plan lets \(target) depend on \(name), which it does not.")
            }
        }
        for target in manifest.targets.keys.sorted()
        where HousePlan.rooms[target] == nil && !manifest.testTargets.contains(target)
            && !HousePlan.testRooms.contains(target)
        {
            faults.append("The target \(target) is not in the plan.")
        }
        for target in ["Settle", "SettleOutbox", "SettleSync", "SettleREST", "SettleCosmos"] {
            for product in manifest.reach(of: target).products.sorted()
            where HousePlan.isServerProduct(product) {
                faults.append("\(target) reaches \(product), which no app should have to build.")
            }
        }
        return faults
    }

    /// Products that some target depends on without a trait, though apps do without them.
    static func unconditional(in manifest: Manifest) -> [String] {
        manifest.conditions.filter { product, conditions in
            conditions.contains("") && !HousePlan.appProducts.contains(product)
        }.keys.sorted().map {
            "\($0) is somewhere without the condition of a trait, so every app fetches it."
        }
    }

    /// Declared dependencies that no file of the target imports.
    static func unused(
        in manifest: Manifest, files: [PackageTree.TextFile]
    ) -> [String] {
        var imported: [String: Set<String>] = [:]
        for file in files {
            guard let target = file.target else { continue }
            let modules = ImportStatement.imports(in: file.text).map(\.module)
            imported[target, default: []].formUnion(modules)
        }
        return HousePlan.rooms.keys.sorted().flatMap { target in
            let declared = manifest.targets[target]?.names ?? []
            return declared.subtracting(imported[target] ?? []).sorted().map {
                "Package.swift declares \($0) for \(target), which never imports it."
            }
        }
    }
}
