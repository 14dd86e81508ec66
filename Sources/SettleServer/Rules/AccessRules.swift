public import Foundation
import Settle

/// Who may read and write which channels of which tables, and what else a server is told of them.
///
/// The guide `ServerOperation.md` has the form of a rules file. A file that cannot be used is
/// refused as a whole, with the line and the column.
public struct AccessRules: Sendable {
    private let tables: [String: TableRule]

    /// Reads rules.
    ///
    /// - Parameters:
    ///   - json: The text of a rules file, UTF-8.
    ///   - name: What the file is called in errors.
    /// - Throws: ``ServerError`` with `invalidConfiguration` naming line, column, place and what
    ///   should stand there.
    public init(
        json: some Sequence<UInt8>, name: String = "of the configuration"
    ) throws(ServerError) {
        var reader = try RulesReader(Array(json), name: name)
        tables = try reader.tables()
    }

    /// Reads a rules file.
    ///
    /// - Parameter file: A file of at most 1 MiB, a file URL.
    /// - Throws: ``ServerError`` with `invalidConfiguration` when it is no file URL or cannot be read, or as
    ///   ``init(json:name:)``.
    public init(contentsOf file: URL) throws(ServerError) {
        try ConfiguredFile.check(file, is: "The rules file")
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The rules file '\(file.path)' cannot be read: \(error.localizedDescription)",
                cause: error)
        }
        try self.init(json: data, name: "'\(file.path)'")
    }

    /// The paths that a table has indexes on.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: Paths of names of members, as the rules of the table have them, or those for
    ///   tables that are not named.
    package func indexes(of table: TableName) -> [[String]] {
        rule(for: table).indexes
    }

    /// What the rules say of a table.
    func rule(for table: TableName) -> TableRule { rule(named: table.text) }

    /// What the rules say of a table, or of a database of CouchDB's protocol, by its name.
    func rule(named name: String) -> TableRule { tables[name] ?? tables["*"] ?? .closed }
}
