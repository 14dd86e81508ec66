import Foundation
import Settle
import SettlePrimitives
import SettleSync
import Synchronization
import TestSupport
import Testing

/// The code of Docs/Guides/CouchDB.md, run.
@Suite(.serialized) struct `The guide to CouchDB` {
    private func withDatabase(_ body: (Database) async throws -> Void) async throws {
        let directory = try ScratchDirectory("couch-guide")
        let database = try await Database.openOrCreate(
            Database.OpenDatabaseConfiguration(name: "guide", fileLocation: directory.url))
        let document: Document = ["id": "visit", "place": "Bonn"]
        try await database.write { transaction in
            try transaction.store(document, revisions: ["2-b", "1-a"], from: "peer")
        }
        try await database.write { transaction in
            _ = try transaction.store(
                ["id": "visit", "place": "Ulm"], revisions: ["2-a", "1-a"], from: "peer")
        }
        try await body(database)
        await database.close()
    }

    @Test func `shows conflicts, and resolves them by a document`() async throws {
        try await withDatabase { database async throws in
            for document in try await database.conflicts(of: "visit") {
                print(document.metaData.revision ?? "", document["place"] ?? "")
            }
            #expect(
                try await database.conflicts(of: "visit").map { $0["place"] as? String } == ["Ulm"])
            let merged: Document = ["id": "visit", "place": "Bonn, Ulm"]
            try await database.resolveConflicts(of: "visit", with: merged)
            #expect(try await database.fetchDocument("visit") == merged)
            #expect(try await database.conflicts(of: "visit") == [])
        }
    }

    @Test func `lists the documents in conflict, and resolves all by a handler`() async throws {
        try await withDatabase { database async throws in
            let shown = Lock<[[String]]>([])
            func show(_ ids: [String]) {
                shown.withLock { $0.append(ids) }
            }
            for try await conflicted in database.conflictStates {
                show(conflicted.map(\.id))
                if conflicted.isEmpty { break }
                try await database.resolveAllConflicts(with: .merge)
            }
            #expect(shown.withLock { $0 } == [["visit"], []])
        }
    }
}
