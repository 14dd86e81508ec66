import Foundation
import Settle
import SettleOutbox
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Rendering of the outbox` {
    private let date = Date(timeIntervalSince1970: 4_000_000_000)

    /// An identifier that ends in a number.
    private func id(_ number: Int, begins: String = "AAAA0000") throws -> UUID {
        let digits = String(number)
        let zeros = String(repeating: "0", count: 12 - digits.count)
        return try #require(UUID(uuidString: "\(begins)-0000-4000-8000-\(zeros)\(digits)"))
    }

    private func entry(_ id: UUID, _ type: String = "put") -> OperationEntry {
        OperationEntry(id: id, type: type, pipeline: "default")
    }

    @Test func `names operations by as few characters as tell them apart`() throws {
        let (first, second) = (try id(1), try id(2, begins: "AAAA1111"))
        #expect(OperationNames([]).short(first) == "AAAA0000")
        #expect(OperationNames([first]).short(first) == "AAAA0000")
        #expect(OperationNames([first, second]).short(second) == "AAAA1111")
        let near = try #require(UUID(uuidString: "AAAA0000-0007-4000-8000-000000000001"))
        let names = OperationNames([first, second, near])
        #expect(names.short(near) == "AAAA0000-0007" && names.short(first) == "AAAA0000-0000")
        let last = OperationNames([first, try id(2)])
        #expect(last.short(first) == first.uuidString)
        #expect(last.contains(first) && !last.contains(second))
    }

    @Test func `shows an outbox that was never used, and an empty one`() {
        let names = OperationNames([])
        #expect(OutboxListing([], names: names).lines() == ["No outbox."])
        #expect(OutboxListing([], names: names).json == [])
        let empty = OutboxListing([OutboxListing.Pipeline(name: "a\u{1B}")], names: names)
        #expect(empty.lines() == ["Pipeline 'a\\u{1b}': no operations."] && empty.json == [])
    }

    @Test func `shows why an operation failed last`() throws {
        var put = entry(try id(1))
        #expect(put.json["lastFailure"] == nil)
        put.failure = OperationFault(message: "no\u{1B}", date: date)
        let lines = OperationText(put, OperationNames([])).lines
        #expect(lines.contains { $0.contains("failed") && $0.contains("no\\u{1b}") })
        #expect(put.json["lastFailure"]?["message"] == "no\u{1B}")
    }

    @Test func `shows a pipeline with its counts and a line an operation`() throws {
        let (first, second, third) = (
            try id(1), try id(2, begins: "BBBB0000"), try id(3, begins: "CCCC0000")
        )
        var put = entry(first)
        put.standing = .active
        put.startCount = 2
        put.documentIds = ["ann\u{1B}"]
        var photo = entry(second, "sendPhoto")
        photo.graph = 12
        photo.priority = -1_000
        photo.documentIds = ["a", "b", "c", "d", "e"]
        photo.dependencies = [first, third]
        photo.holds = ["wifi": date, "settle": date.addingTimeInterval(-1)]
        photo.standing = .held
        let pipelines = [
            OutboxListing.Pipeline(
                name: "default", operations: [put, photo],
                counts: [.pending: 1_999, .held: 1, .active: 1]),
            OutboxListing.Pipeline(name: "photos"),
        ]
        let listing = OutboxListing(pipelines, names: OperationNames([first, second]))
        #expect(
            listing.lines() == [
                "Pipeline 'default': 2,001 operations, 1 active, 1 held, 1,999 pending.",
                "graph  operation  type       status  priority  starts  documents    "
                    + "waits for  held until",
                "    1  AAAA0000   put        active         0       2  ann\\u{1b}",
                "   12  BBBB0000   sendPhoto  held      -1,000       0  a, b, c, +2  "
                    + "AAAA0000   2096-10-02T07:06:40.000Z",
                "", "Pipeline 'photos': no operations.", "", "2 of 2,001 operations shown.",
            ])
        let objects = try listing.json.map { try JSONValue(jsonText: $0) }
        #expect(objects == [put.json, photo.json])
        #expect(photo.json["heldUntil"] == "2096-10-02T07:06:40.000Z")
        #expect(photo.json["content"] == nil && photo.json["changes"] == nil)
    }

    @Test func `shows an operation for programs`() throws {
        var put = entry(try id(1))
        put.graph = .max
        put.dependencies = [try id(2)]
        put.holds = ["retry": date]
        put.content = OperationEntry.Content(
            operation: ["name": "Ann"], changedFields: ["ann": FieldChanges(new: ["age": 7])],
            notes: ["at": 5])
        #expect(
            put.json == [
                "id": "AAAA0000-0000-4000-8000-000000000001", "type": "put",
                "pipeline": "default", "graph": .integer(.max), "status": "pending",
                "priority": 0, "starts": 0, "documents": [],
                "dependencies": ["AAAA0000-0000-4000-8000-000000000002"],
                "holds": ["retry": "2096-10-02T07:06:40.000Z"], "heldUntil": .null,
                "content": ["name": "Ann"], "changes": ["ann": ["old": [:], "new": ["age": 7]]],
                "notes": ["at": 5],
            ])
    }

    @Test func `shows an operation with its facts, and its content when that is asked for`() throws
    {
        let (first, second) = (try id(1), try id(2, begins: "BBBB0000"))
        var put = entry(first)
        put.documentIds = ["ann", "bob"]
        put.dependencies = [second, try id(3)]
        put.holds = ["wifi": date, "retry": date]
        put.standing = .held
        let names = OperationNames([first, second])
        let facts = [
            "operation    AAAA0000-0000-4000-8000-000000000001", "type         put",
            "pipeline     default", "graph        1", "status       held", "priority     0",
            "starts       0", "document     ann", "document     bob", "waits for    BBBB0000",
            "done before  AAAA0000-0000-4000-8000-000000000003",
            "hold         retry, until 2096-10-02T07:06:40.000Z",
            "hold         wifi, until 2096-10-02T07:06:40.000Z",
        ]
        #expect(OperationText(put, names).lines == facts)
        put.content = OperationEntry.Content(
            operation: ["a": "\u{1B}"],
            changedFields: ["ann": FieldChanges(old: ["age": 6], new: ["age": 7])],
            notes: ["at": 5])
        let shown =
            facts + [
                "content", "{\n  \"a\": \"\\u001b\"\n}", "changes of ann",
                "{\n  \"new\": {\n    \"age\": 7\n  },\n  \"old\": {\n    \"age\": 6\n  }\n}",
                "notes", "{\n  \"at\": 5\n}",
            ]
        #expect(OperationText(put, names).lines == shown)
        let pipeline = OutboxListing.Pipeline(
            name: "default", operations: [put], counts: [.held: 1])
        #expect(
            OutboxListing([pipeline], names: names).lines()
                == ["Pipeline 'default': 1 operation, 1 held.", ""] + shown)
    }

    @Test func `shows tags`() {
        #expect(TagListing([]).lines() == ["No tags."] && TagListing([]).json == [])
        let listing = TagListing([
            ("etag", .string("\"x\u{1B}\"")), ("count", .number(7)), ("size", .number(7.5)),
            ("token", .data(Data([1, 2]))),
        ])
        #expect(
            listing.lines() == [
                "tag    value", "etag   \"x\\u{1b}\"", "count  7", "size   7.5", "token  2 bytes",
            ])
        #expect(
            listing.json == [
                "{\"identifier\":\"etag\",\"kind\":\"string\",\"value\":\"\\\"x\\u001b\\\"\"}",
                "{\"identifier\":\"count\",\"kind\":\"number\",\"value\":7}",
                "{\"identifier\":\"size\",\"kind\":\"number\",\"value\":7.5}",
                "{\"identifier\":\"token\",\"kind\":\"data\",\"value\":\"AQI=\"}",
            ])
    }
}
