import Dispatch
import Foundation
import Settle

/// The same people as plain documents, without any history.
struct PersonDocumentPeer: Sendable {
    static let name = "documents"

    let database: Database
    private let folder: URL

    init(in folder: URL) async throws {
        self.folder = folder.appendingPathComponent("people", isDirectory: true)
        database = try await Database.openOrCreate(
            Database.OpenDatabaseConfiguration(
                name: "people", fileLocation: self.folder,
                completionQueue: DispatchQueue(label: "benchmarks-people"), durability: .relaxed))
    }

    func close() async { await database.close() }

    func fill(_ entities: EntitySet) async throws {
        for batch in entities.people.batches(of: 1_000) {
            try await database.write { transaction in
                for person in batch {
                    try transaction.add([
                        "id": person.id, "type": EntitySet.type, "name": person.name,
                        "email": person.email, "city": person.city, "age": person.age,
                        "height": person.height, "active": person.isActive, "born": person.born,
                    ])
                }
            }
        }
    }

    /// Changes the city of documents, all in one transaction.
    func update(_ entities: EntitySet, _ picks: [Int], _ city: @escaping @Sendable (Int) -> String)
        async throws
    {
        try await database.write { transaction in
            for pick in picks {
                guard var document = try transaction.document(entities.people[pick].id) else {
                    continue
                }
                document["city"] = city(pick)
                try transaction.save(document)
            }
        }
    }

    func read(_ entities: EntitySet, _ picks: some Collection<Int>) async throws -> FieldSums {
        let ids = picks.map { entities.people[$0].id }
        let found = try await database.fetchDocuments(ids)
        return ids.reduce(into: FieldSums()) { sums, id in
            guard let document = found[id] else { return }
            sums.count += 1
            sums.amounts += document.integer("age") ?? 0
            sums.textBytes += document.string("name")?.utf8.count ?? 0
            sums.textBytes += document.string("city")?.utf8.count ?? 0
        }
    }
}
