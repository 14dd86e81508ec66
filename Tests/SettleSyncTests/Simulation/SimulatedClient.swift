import Foundation
import Settle
import TestSupport

@testable import SettleSync

/// A device: a database in a directory of its own that is closed and opened again.
actor SimulatedClient {
    let name: String
    private let directory: URL
    private(set) var database: Database
    private var editCount = 0

    init(_ name: String, in scratch: ScratchDirectory) async throws {
        self.name = name
        directory = scratch.file(name)
        database = try await openDatabase(in: directory)
    }

    func restart() async throws {
        await database.stopReplication()
        await database.close()
        database = try await openDatabase(in: directory)
    }

    /// Adds a mark to a document, which is made when it is not there.
    ///
    /// Each edit adds a member that no other edit has, so that a lost edit shows.
    func edit(_ id: String) async throws -> String {
        editCount += 1
        let mark = "\(name)\(editCount)"
        try await database.write { transaction in
            var document = try transaction.document(id) ?? Document(id: id)
            document[json: mark] = true
            document[json: "last"] = .string(mark)
            try transaction.save(document)
        }
        return mark
    }

    /// Deletes a document.
    ///
    /// - Returns: The marks it had: whoever deletes a document gives up what it can see in it.
    func delete(_ id: String) async throws -> Set<String> {
        try await database.write { transaction in
            let names = try transaction.document(id).map { Set($0.json.keys) } ?? []
            try transaction.delete(documentWithId: id)
            return names
        }
    }

    /// The members of all documents, by identifier.
    func contents(_ ids: [String]) throws -> [String: [String: JSONValue]] {
        try database.read { snapshot in
            var contents: [String: [String: JSONValue]] = [:]
            for id in ids { contents[id] = try snapshot.document(id)?.json }
            return contents
        }
    }
}

/// Opens, or makes, a database for a test.
func openDatabase(in directory: URL) async throws -> Database {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let configuration = Database.OpenDatabaseConfiguration(
        name: "db", fileLocation: directory,
        completionQueue: DispatchQueue(label: "settle.tests.completion"))
    guard let database = try await Database.open(with: configuration, create: true) else {
        preconditionFailure("A database that is to be created is there.")
    }
    return database
}
