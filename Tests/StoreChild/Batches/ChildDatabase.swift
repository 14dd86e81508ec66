package import Foundation
package import Settle

/// The database that the child keeps and the tests look into.
package enum ChildDatabase {
    /// The name of the index over the entries.
    package static let indexName = "byGroup"

    /// The variable that has a child open the database without the commit log, set to `none`.
    package static let commitLogVariable = "SETTLE_CHILD_COMMIT_LOG"

    /// How the database is opened: with the commit log, if a variable does not say otherwise.
    ///
    /// - Parameters:
    ///   - folder: The folder it lies in.
    ///   - durability: What a commit survives.
    ///   - indexVersion: Another version has the index rebuilt.
    /// - Returns: The configuration.
    package static func configuration(
        in folder: URL, durability: Database.Durability = .full, indexVersion: Int = 1
    ) -> Database.OpenDatabaseConfiguration {
        let isLogged = ProcessInfo.processInfo.environment[commitLogVariable] != "none"
        return Database.OpenDatabaseConfiguration(
            Database.OpenDatabaseConfiguration(
                name: "promise", fileLocation: folder, indexes: [index(version: indexVersion)],
                completionQueue: DispatchQueue(label: "promise"), durability: durability),
            commitLog: isLogged ? .standard : .none)
    }

    /// The index over the entries: rows `[group, value]` with the value, summed.
    package static func index(version: Int) -> Database.Index {
        .keyPaths(
            name: indexName, version: "\(version)", keys: [["group"], ["value"]],
            value: ["value"], reduce: .sum)
    }
}
