import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// Rows are read packed where that can be done, and as trees where it cannot: nobody may notice.
@Suite struct `Rows in either form` {
    private static let names = [
        "id", "ID", "Id", "_id", "__id", "_uid", "@removed", "_@removed", "@odata.etag",
        "updatedAt", "UPDATEDAT",
        "_updatedAt", "__updatedAt", "__UpdatedAt", "_u__updatedAt", "createdAt", "__createdAt",
        "created", "version", "Version", "_version", "__version", "_u__version", "deleted",
        "_deleted",
        "__deleted", "DELETED", "_attachments", "_", "__", "_u", "", "text", "größe", "_größe",
        "updatedAT\u{301}", "\u{212A}", "i\u{307}d",
    ]

    private static let values: [JSONValue] = [
        "a", "", 1, 1.5, true, false, .null, [1, "x"], ["id": "b"], "2026-11-22T19:22:00.123Z",
        "2026-11-22", ["reason": "deleted"], ["reason": "changed"],
    ]

    private static func row(_ members: [String: JSONValue]) throws -> [TableRow] {
        let tree = JSONValue.object(members)
        return [
            TableRow(form: .packed(try PackedValue(tree))), TableRow(form: .value(tree)),
        ]
    }

    private static func items(_ members: [String: JSONValue]) throws -> [[RemoteItem]] {
        let tables: [TableColumns] = [.plain, .undated, .underscored]
        return try tables.map { columns in
            try row(members).map { RemoteItem(listed: $0, columns, storesJSON: true) }
        }
    }

    @Test func `are the same items with every name and value`() throws {
        for name in Self.names {
            for value in Self.values {
                for id in ["a", nil] as [JSONValue?] {
                    var members: [String: JSONValue] = ["n": 1, "version": "v1"]
                    members["id"] = id
                    members[name] = value
                    for pair in try Self.items(members) {
                        #expect(pair[0] == pair[1], "\(members)")
                    }
                }
            }
        }
    }

    @Test func `are the same items with any members`() throws {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                guard let name = Self.names.randomElement(using: &random) else { continue }
                members[name] = Self.values.randomElement(using: &random)
            }
            for pair in try Self.items(members) {
                #expect(pair[0] == pair[1], "\(random) \(members)")
            }
            let rows = try Self.row(members)
            #expect(rows[0] == rows[1] && rows[0].number == rows[1].number)
            #expect(rows[0].id == rows[1].id && rows[0].time(.plain) == rows[1].time(.plain))
        }
    }

    @Test func `stay packed unless they are marked as removed`() throws {
        let members: [String: JSONValue] = [
            "id": "a", "version": "1", "deleted": false, "updatedAt": "2026-11-22T19:22:00.123Z",
            "text": "x", "_attachments": [:], "größe": 1,
        ]
        let row = try Self.row(members)[0]
        let packed = try #require(row.form.packed)
        let (rest, own) = try #require(TableColumns.plain.parting(packed))
        #expect(try rest == PackedValue(["text": "x", "_attachments": [:], "größe": 1]))
        #expect(own.id == "a" && own.version == "1" && !own.isDeleted && own.createdAt == nil)
        for (name, given) in [("_version", "version"), ("__id", "_id"), ("Deleted", "Deleted")] {
            let marked = try Self.row(members.merging([name: 1]) { $1 })[0]
            let parts = TableColumns.plain.parting(try #require(marked.form.packed))
            #expect(
                try parts?.rest
                    == PackedValue(["text": "x", "_attachments": [:], "größe": 1, given: 1]))
        }
        let removed = try Self.row(members.merging(["@removed": 1]) { $1 })[0]
        #expect(TableColumns.plain.parting(try #require(removed.form.packed)) == nil)
    }
}
