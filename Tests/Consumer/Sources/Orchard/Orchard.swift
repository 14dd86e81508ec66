import Foundation
import Settle
import SettleREST
import SettleSync

/// An app that uses the package as README says: a database, an index, and a replication that finds
/// no server.
@main
struct Orchard {
    struct Unexpected: Error {
        let text: String
    }

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("orchard-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Database.OpenDatabaseConfiguration(
            name: "orchard", fileLocation: folder,
            indexes: [
                Database.Index(
                    name: "byColour", version: "1",
                    map: { document, addIndexRow in
                        addIndexRow(document["colour"], document["price"])
                    })
            ])
        guard let database = try await Database.open(with: configuration, create: true) else {
            throw Unexpected(text: "There is no database.")
        }
        try await database.add(["id": "apple", "colour": "red", "price": 3])
        try await database.add(["id": "pear", "colour": "green", "price": 4])
        let red = try await database.runQuery(
            on: "byColour", with: QueryByKeyRange(startKey: "red", endKey: "red"))
        let ids = red.map(\.documentId)
        guard ids == ["apple"] else { throw Unexpected(text: "Red are \(ids).") }
        try await replicate(database)
        await database.close()
        print("Orchard works: \(ids)")
    }

    /// Nobody listens on port 1, so that the replication has to say so.
    private static func replicate(_ database: Database) async throws {
        guard let url = URL(string: "http://127.0.0.1:1/tables/fruits") else { return }
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        configuration.retryLimit = 0
        do {
            let summary = try await database.replicate(with: configuration)
            throw Unexpected(text: "It replicated with nobody: \(summary).")
        } catch let error as ReplicationError where error.code == .unreachable {}
    }
}
