import Foundation
import Settle
import SettleSync
import TestSupport

/// A device with the documents of several tables in one database.
actor TablesDevice {
    nonisolated let name: String
    private(set) var database: Database
    private let directory: URL
    private let ledger: Ledger
    private let journal: Journal
    private var editCount = 0
    private var isEditing = false
    /// The types whose tables were replicated with since the database was opened.
    private var followedTypes: Set<String> = []

    init(
        _ name: String, in scratch: ScratchDirectory, ledger: Ledger, journal: Journal
    ) async throws {
        self.name = name
        self.ledger = ledger
        self.journal = journal
        directory = try scratch.folder(name)
        database = try await Self.open(directory)
    }

    private static func open(_ directory: URL) async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: directory,
            completionQueue: DispatchQueue(label: "settle.tests.completion"),
            durability: .relaxed)
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that is to be created is there.")
        }
        return database
    }

    func close() async {
        await database.stopReplication()
        await database.close()
    }

    func restart() async throws {
        await close()
        database = try await Self.open(directory)
        followedTypes = []
    }

    /// Notes that these tables are replicated with, so that every change is noted for them at once.
    func follow(_ types: [String]) {
        followedTypes.formUnion(types)
    }

    /// Whether every change is noted for every table at once.
    var isFollowed: Bool { followedTypes.count == TablesWorld.types.count }

    /// Does something by chance to one of the documents: an edit, a deletion, or another type.
    func edit(_ ids: [String], _ draw: UInt64) async throws {
        // One after the other: what a document must be is written down beside its transaction.
        guard !isEditing else { return }
        isEditing = true
        defer { isEditing = false }
        var random = SeededGenerator(seed: draw)
        let id = ids[Int(random.next() % UInt64(ids.count))]
        if random.next() % 6 == 0 {
            let marks = try await database.write { transaction in
                let marks = Ledger.marks(in: try transaction.document(id)?.json)
                try transaction.delete(documentWithId: id)
                return marks
            }
            ledger.gaveUp(marks, of: id)
            return journal.note("\(name) deletes '\(id)'")
        }
        let changesType = random.next() % 4 == 0
        let type = (TablesWorld.types + TablesWorld.types + [""])[Int(random.next() % 5)]
        editCount += 1
        let mark = Ledger.mark(name, editCount)
        let saved = try await database.write { transaction in
            let before = try transaction.document(id)
            var document = before ?? Document(id: id)
            document[json: mark] = true
            document[json: "last"] = .string(mark)
            if before == nil || changesType {
                document[json: "type"] = type.isEmpty ? nil : .string(type)
            }
            return try transaction.save(document)
        }
        ledger.wrote(mark, in: id, by: name)
        journal.note("\(name) writes \(mark) to '\(id)', \(saved.metaData.type ?? "no type")")
    }

    /// The members of all documents without nulls, by identifier.
    func contents() throws -> [String: [String: JSONValue]] {
        try database.read { snapshot in
            var contents: [String: [String: JSONValue]] = [:]
            try snapshot.forEachDocument { document in
                contents[document.id] = document.json.filter { !$0.value.isNull }
                return true
            }
            return contents
        }
    }
}
