import Settle
import Testing
import TestSupport

@testable import SettleREST

@Suite(.serialized) struct `Table columns` {
    @Test func `give way to members of the same names in any case`() {
        let members: [String: JSONValue] = [
            "version": 1, "_version": 2, "__version": 3, "Version": 4, "DELETED": 5, "_ID": 6,
            "versions": 7, "_a": 8, "createdAt": 9, "updatedat": 10,
        ]
        let columns = TableColumns.plain.escaped(members)
        #expect(
            columns == [
                "_version": 1, "__version": 2, "___version": 3, "_Version": 4, "_DELETED": 5,
                "__ID": 6, "versions": 7, "_a": 8, "_createdAt": 9, "_updatedat": 10,
            ])
        var item = columns
        for name in ["id", "createdAt", "updatedAt", "version"] { item[name] = "the table's" }
        item["deleted"] = false
        #expect(TableColumns.plain.unescaped(item) == members)
    }

    @Test func `called as a member in another case give way to the member, which has a mark`()
        throws
    {
        let row: [String: JSONValue] = [
            "Version": "theirs", "_Version": "ours", "ID": 1, "_ID": 2, "n": 3,
        ]
        let members: [String: JSONValue] = ["Version": "ours", "ID": 2, "n": 3]
        // A dictionary has an order of its own each time.
        for count in 0..<20 {
            let others = (0..<count).map { ("x\($0)", JSONValue.null) }
            let padding = Dictionary(uniqueKeysWithValues: others)
            let read = TableColumns.plain.unescaped(row.merging(padding) { own, _ in own })
            #expect(read == members.merging(padding) { own, _ in own })
        }
        if let rest = try TableColumns.plain.parting(PackedValue(.object(row)))?.rest {
            #expect(try rest.value() == .object(members))
        }
    }

    @Test func `of the oldest tables take all that begins with two underscores`() {
        let members: [String: JSONValue] = [
            "version": 1, "_version": 2, "__version": 3, "__mine": 4, "_u__x": 5, "ID": 6, "_u": 7,
            "_uid": 8, "@removed": 9,
        ]
        let columns = TableColumns.underscored.escaped(members)
        #expect(
            columns == [
                "version": 1, "_version": 2, "_u__version": 3, "_u__mine": 4, "_u_u__x": 5,
                "_uID": 6, "_u": 7, "_u_uid": 8, "_u@removed": 9,
            ])
        #expect(TableColumns.underscored.unescaped(columns) == members)
    }

    @Test func `of the newest tables leave the time of making to the document`() {
        #expect(TableColumns.undated.escaped(["createdAt": 1]) == ["createdAt": 1])
        #expect(TableColumns.undated.unescaped(["createdAt": 1]) == ["createdAt": 1])
    }

    @Test(arguments: [TableColumns.plain, .underscored, .undated])
    func `leave every document as it was after a round trip`(table: TableColumns) {
        var random = SeededGenerator()
        let names = [
            "id", "version", "deleted", "createdAt", "updatedAt", "text", "@removed", "__x", "_u",
        ]
        for _ in 0..<2_000 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<5 {
                var name = names.randomElement(using: &random) ?? "text"
                if Bool.random(using: &random) { name = name.uppercased() }
                let mark = Bool.random(using: &random) ? "_" : "_u"
                name = String(repeating: mark, count: Int(random.next() % 3)) + name
                if name != "id" { members[name] = .integer(Int64(random.next() % 100)) }
            }
            var item = table.escaped(members)
            #expect(item.count == members.count, "\(random)")
            for name in ["id", table.version, table.updatedAt] {
                #expect(item[name] == nil, "\(random)")
                item[name] = "the table's"
            }
            item[table.deleted] = false
            #expect(table.unescaped(item) == members, "\(random)")
        }
    }

    @Test(arguments: [TableColumns.plain, .underscored, .undated])
    func `have the same names in packed members as in values`(table: TableColumns) throws {
        let names = [
            "id", "_id", "ID", "version", "_version", "__version", "Version", "_Version",
            "createdAt", "_createdAt", "_deleted", "__updatedAt", "@removed", "_@removed", "_u",
            "_", "", "K_id", "\u{212A}", "text",
        ]
        var (packedCount, treeCount) = (0, 0)
        for first in names.indices {
            for second in first..<names.count {
                for third in second..<names.count {
                    let chosen = Set([names[first], names[second], names[third]])
                    let members = Dictionary(
                        uniqueKeysWithValues: chosen.map { ($0, JSONValue.string($0 + "!")) })
                    let packed = try PackedValue(.object(members))
                    if let escaped = table.escaped(packed) {
                        #expect(escaped == (try PackedValue(.object(table.escaped(members)))))
                    }
                    guard let (rest, own) = table.parting(packed) else {
                        treeCount += 1
                        continue
                    }
                    packedCount += 1
                    #expect(rest == (try PackedValue(.object(table.unescaped(members)))))
                    #expect(own.id == (chosen.contains("id") ? "id!" : nil))
                    let version = chosen.contains(table.version) ? table.version + "!" : nil
                    #expect(own.version == version)
                }
            }
        }
        // Trees are left for `@`, for marks of the oldest tables, and where two members get one name.
        #expect(packedCount > 0 && treeCount > 0)
    }

    @Test func `are told from a document's members of the same names without making values`() throws
    {
        let members: [String: JSONValue] = ["createdAt": 1, "version": 2, "Id": 3, "text": 4]
        let packed = try PackedValue(.object(members))
        var row = try #require(try TableColumns.plain.escaped(packed)?.value().objectValue)
        #expect(row == ["_createdAt": 1, "_version": 2, "_Id": 3, "text": 4])
        row["id"] = "a"
        row["version"] = "v"
        row["createdAt"] = "2026-01-01T00:00:00Z"
        let parts = try #require(TableColumns.plain.parting(try PackedValue(.object(row))))
        #expect(parts.rest == packed)
        #expect(parts.own.id == "a" && parts.own.version == "v")
        #expect(parts.own.createdAt == "2026-01-01T00:00:00Z")
    }
}
