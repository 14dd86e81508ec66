/// A source file imports what its floor may, and only what Package.swift declares for it.
enum ImportRule {
    /// What is wrong with the imports of a file.
    static func violations(in file: PackageTree.TextFile, manifest: Manifest) -> [String] {
        guard let target = file.target else { return [] }
        guard let room = HousePlan.rooms[target] else {
            return ["\(file.path): no room of the plan is called \(target)."]
        }
        return ImportStatement.imports(in: file.text).flatMap { statement in
            faults(of: statement, target: target, room: room, manifest: manifest).map {
                "\(file.path):\(statement.line): \($0)"
            }
        }
    }

    private static func faults(
        of statement: ImportStatement, target: String, room: HousePlan.Room, manifest: Manifest
    ) -> [String] {
        let module = statement.module
        var faults: [String] = []
        if statement.isTestable { faults.append("@testable has no place in a source target.") }
        if HousePlan.platformModules.contains(module) { return faults }
        if HousePlan.foundationModules.contains(module) {
            if !room.mayUseFoundation { faults.append("\(target) does without \(module).") }
            return faults
        }
        if !room.targets.contains(module), !room.products.contains(module) {
            faults.append("\(target) may not import \(module).")
        }
        if manifest.targets[target]?.names.contains(module) != true {
            faults.append("Package.swift does not declare \(module) for \(target).")
        }
        return faults
    }
}
