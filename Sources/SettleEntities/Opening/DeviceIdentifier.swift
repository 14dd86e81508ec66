import Foundation
import Settle

/// What a device calls itself where nobody has named it: a UUID in a side table, which is not replicated.
enum DeviceIdentifier {
    private static let table = "settle-entities"
    private static let key = Array("device".utf8)

    /// The identifier that is kept in a database; made at the first call.
    ///
    /// - Throws: What the database throws.
    static func kept(in database: Database) async throws -> String {
        let known = try database.read { try $0.table(table)?.value(for: key) }
        if let known { return String(decoding: known, as: UTF8.self) }
        // Nothing is made there that would have to say where.
        if database.configuration.isReadOnly { return "" }
        let made = Array(UUID().uuidString.lowercased().utf8)
        let kept = try await database.write { transaction in
            let table = try transaction.sideTable(named: table)
            if let known = try table.value(for: key) { return known }
            try table.set(made, for: key)
            return made
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
