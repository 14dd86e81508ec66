import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// Databases and tables that show less, or more, than they were sent.
@Suite(.serialized) struct `Journey to a table with columns` {
    private struct Device {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("columns")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "db", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests.completion"))
            database = try #require(try await Database.open(with: configuration, create: true))
        }

        @discardableResult
        func replicate(
            _ table: any HTTPTransport
        ) async throws -> ReplicationSummary {
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")),
                options: ["transport": table])
            configuration.retryLimit = 0
            return try await database.replicate(with: configuration)
        }

        func members(_ id: String) async throws -> [String: JSONValue]? {
            try await database.fetchDocument(id)?.json
        }
    }

    /// A row as a table shows it that has two dozen columns more.
    private static func filled(_ row: [String: JSONValue]) -> [String: JSONValue] {
        (0..<24).reduce(into: row) { row, index in
            row["c\(index)"] = row["c\(index)"] ?? .null
        }
    }

    @Test func `makes no members of columns that nobody wrote`() async throws {
        let (a, b) = (try await Device(), try await Device())
        let model = ModelTable()
        let table = AlteringTransport(to: model) { _, row in Self.filled(row) }
        var document = Document(id: "a")
        document[json: "n"] = 1
        document = try await a.database.save(document)
        try await a.replicate(table)
        #expect(try await a.members("a") == ["n": 1])
        document[json: "n"] = 2
        document[json: "c7"] = 7
        document = try await a.database.update(document)
        try await a.replicate(table)
        #expect(
            try await a.database.fetchDocument("a")?.metaData.revision == document.metaData.revision
        )
        try await b.replicate(table)
        #expect(try await b.members("a") == ["n": 2, "c7": 7])
        // What had a value and has none any more is null everywhere.
        document[json: "c7"] = nil
        try await a.database.update(document)
        try await a.replicate(table)
        try await b.replicate(table)
        #expect(try await a.members("a") == ["n": 2, "c7": .null])
        #expect(try await b.members("a") == ["n": 2, "c7": .null])
        #expect(try await b.replicate(table).pulled == 0)
    }

    @Test func `keeps nulls where they are, and gives them to nobody else`() async throws {
        let (a, b, table) = (try await Device(), try await Device(), ModelTable())
        var document = Document(id: "a")
        document[json: "n"] = 1
        document[json: "none"] = .null
        document[json: "in"] = ["none": .null]
        try await a.database.save(document)
        try await a.replicate(table)
        try await b.replicate(table)
        #expect(try await a.members("a") == ["n": 1, "none": .null, "in": ["none": .null]])
        #expect(try await b.members("a") == ["n": 1, "in": ["none": .null]])
    }

    // A node server under parallel writes: 201 without the columns that it just made.
    @Test func `looks up what an answer leaves out, and changes no document`() async throws {
        let device = try await Device()
        let model = ModelTable()
        let table = AlteringTransport(to: model) { request, row in
            request.method == .get ? row : row.filter { $0.key != "text" && $0.key != "n" }
        }
        var revisions: [String?] = []
        for index in 0..<24 {
            var document = Document(id: "m\(index)")
            document["text"] = "text \(index)"
            document[json: "n"] = .integer(Int64(index))
            revisions.append(try await device.database.save(document).metaData.revision)
        }
        #expect(try await device.replicate(table).pushed == 24)
        for index in 0..<24 {
            let document = try await device.database.fetchDocument("m\(index)")
            #expect(document?["text"] as? String == "text \(index)")
            #expect(document?.metaData.revision == revisions[index])
        }
        let lookUps = table.lines.filter { $0.contains("$filter=id%20eq") }
        #expect(lookUps.count == 24)
        #expect(try await device.replicate(table).pushed == 0)
    }

    // The last row that was read, in the version in which it was read without that.
    @Test func `takes what a list left out of its last row when the next list shows it`()
        async throws
    {
        let (a, b, model) = (try await Device(), try await Device(), ModelTable())
        var document = Document(id: "a")
        document["n"] = 1
        document = try await a.database.save(document)
        try await a.replicate(model)
        try await b.replicate(model)
        document["y"] = "more"
        try await a.database.update(document)
        try await a.replicate(model)
        let stripping = AlteringTransport(to: model) { _, row in row.filter { $0.key != "y" } }
        try await b.replicate(stripping)
        #expect(try await b.members("a") == ["n": 1])
        try await b.replicate(model)
        #expect(try await b.members("a") == ["n": 1, "y": "more"])
        #expect(try await b.replicate(stripping).pulled == 0)
        #expect(try await b.members("a") == ["n": 1, "y": "more"])
        #expect(try await b.replicate(model).pulled == 0)
    }

    @Test func `sets an insert aside that meets a row which is not shown`() async throws {
        let device = try await Device()
        let model = ModelTable()
        let other = try await Device()
        try await other.database.save(Document(id: "a"))
        try await other.replicate(model)
        let table = AlteringTransport(to: model) { request, row in
            row["id"] == "a" && request.method == .get ? nil : row
        }
        var document = Document(id: "a")
        document["mine"] = true
        try await device.database.save(document)
        try await device.database.save(Document(id: "b"))
        let summary = try await device.replicate(table)
        #expect(summary.pushed == 1 && summary.rejected == 1)
        #expect(table.lines.filter { $0 == "POST /tables/t" }.count == 4)
        guard case .rejected(let reason)? = try device.database.rejectedOperations().first?.state
        else {
            Issue.record("Nothing was set aside.")
            return
        }
        #expect(reason.contains("'a'"))
        #expect(model.contents["b"] == [:])
    }
}
