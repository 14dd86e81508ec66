import Foundation
@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A map function that fails for a document` {
    private struct Problem: Error, CustomStringConvertible {
        let description = "no fruit"
    }

    private final class Foreign: NSObject {}

    private static func index(version: String = "1", _ calls: MapCalls) -> Database.Index {
        Database.Index(name: "i", version: version) { document, addIndexRow in
            calls.note(document.id)
            addIndexRow(0, "before the failure")
            switch document["kind"] as? String {
            case "throws": throw Problem()
            case "nan": addIndexRow(Double.nan, nil)
            case "value": addIndexRow(1, Double.infinity)
            case "foreign": addIndexRow(["x": Foreign()], nil)
            default: addIndexRow(document["n"], nil)
            }
        }
    }

    private static let failing = ["throws", "nan", "value", "foreign"]

    private func fill(_ database: Database) async throws {
        try await database.addNumbers(1..<21)
        try await database.write { transaction in
            for kind in Self.failing { try transaction.add(["id": kind, "kind": kind]) }
        }
    }

    @Test func `has it listed with a reason, and the others indexed`() async throws {
        try await withDatabase { database async throws in
            try await fill(database)
            try await database.addIndex(Self.index(MapCalls()))
            let errors = try database.indexErrors(of: "i")
            #expect(errors.map(\.documentId) == Self.failing.sorted())
            #expect(errors.allSatisfy { !$0.isCrash })
            let reasons = Dictionary(
                uniqueKeysWithValues: errors.map { ($0.documentId, $0.reason) })
            #expect(reasons["throws"]?.contains("no fruit") == true)
            #expect(reasons["nan"]?.hasPrefix("The map function emitted") == true)
            #expect(reasons["value"]?.hasPrefix("The map function emitted") == true)
            #expect(reasons["foreign"]?.contains("Foreign") == true, "\(reasons)")
            // What they emitted before they failed is not there either.
            #expect(try await database.keys(of: "i").filter { $0 > 0 } == Array(1..<21))
            #expect(try await database.keys(of: "i").count == 40)
            let status = try database.indexStatus(named: "i")
            #expect(status.errorCount == 4 && status.rowCount == 40)
            #expect(
                try database.indexErrors(of: "i", limit: 2).map(\.documentId)
                    == ["foreign", "nan"])
            #expect(try database.indexErrors(of: "i", limit: 0) == [])
            #expect(try await database.check() == [])
        }
    }

    @Test func `is the same for a document that came later`() async throws {
        try await withDatabase(indexes: [Self.index(MapCalls())]) { database async throws in
            _ = try await database.keys(of: "i")
            try await fill(database)
            #expect(try await database.keys(of: "i").count == 40)
            #expect(try database.indexErrors(of: "i").map(\.documentId) == Self.failing.sorted())
        }
    }

    @Test func `maps it again when it changed, and not before`() async throws {
        let directory = try ScratchDirectory("errors")
        let calls = MapCalls()
        try await withDatabase(in: directory, indexes: [Self.index(calls)]) {
            database async throws in
            try await fill(database)
            _ = try await database.keys(of: "i")
        }
        calls.reset()
        try await withDatabase(in: directory, indexes: [Self.index(calls)]) {
            database async throws in
            #expect(try database.indexErrors(of: "i").count == 4)
            _ = try await database.keys(of: "i")
            #expect(calls.total == 0)
            try await database.save(["id": "throws", "n": 99])
            try await database.delete(documentWithId: "nan")
            try await database.save(["id": "10001", "kind": "throws"])
            #expect(try await database.keys(of: "i").filter { $0 > 0 } == Array(2..<21) + [99])
            #expect(calls.byDocument["throws"] == 1)
            #expect(
                try database.indexErrors(of: "i").map(\.documentId)
                    == ["10001", "foreign", "value"])
            #expect(try database.indexStatus(named: "i").errorCount == 3)
            #expect(try await database.check() == [])
        }
    }

    @Test func `maps it again in a new version`() async throws {
        try await withDatabase { database async throws in
            try await fill(database)
            try await database.addIndex(Self.index(MapCalls()))
            try await database.addIndex(
                Database.Index(name: "i", version: "2") { document, addIndexRow in
                    addIndexRow(document["n"] ?? 0, nil)
                })
            #expect(try database.indexErrors(of: "i") == [])
            #expect(try database.indexStatus(named: "i").errorCount == 0)
            #expect(try await database.keys(of: "i").count == 24)
        }
    }

    @Test func `is told by views and types as well`() async throws {
        struct Numbered: Decodable, Sendable { let n: Int }
        let typed = Database.Index.typed(Numbered.self, name: "typed", version: "1") {
            number, rows in
            try rows.emit(number.n)
        }
        let viewed = Database.Index.views(name: "viewed", version: "1") { view, rows in
            let id = try view.id
            if id == "throws" { throw Problem() }
            try rows.emit(Double(try view.integer("n") ?? 0) / (id == "nan" ? 0 : 1))
        }
        try await withDatabase(indexes: [typed, viewed]) { database async throws in
            try await fill(database)
            for (name, failing) in [
                ("typed", Self.failing.sorted()), ("viewed", ["nan", "throws"]),
            ] {
                _ = try await database.runQuery(on: name)
                let errors = try database.indexErrors(of: name)
                #expect(errors.map(\.documentId) == failing, "\(name)")
                #expect(errors.allSatisfy { !$0.reason.isEmpty && $0.reason.count <= 300 })
                #expect(try database.indexStatus(named: name).rowCount == 24 - failing.count)
            }
        }
    }

    @Test func `cannot be asked about for an index that is not there`() async throws {
        try await withDatabase { database async throws in
            try await fill(database)
            #expect(throws: DatabaseError.self) { _ = try database.indexErrors(of: "none") }
        }
    }
}
