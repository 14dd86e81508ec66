import Settle
import Testing
import TestSupport

@testable import SettleREST

@Suite(.serialized) struct `System columns` {
    @Test func `give way to members of the same names in any case`() {
        let members: [String: JSONValue] = [
            "version": 1, "_version": 2, "__version": 3, "Version": 4, "DELETED": 5, "_ID": 6,
            "versions": 7, "_a": 8, "createdAt": 9, "updatedat": 10,
        ]
        let columns = SystemColumns.escaped(members)
        #expect(
            columns == [
                "_version": 1, "__version": 2, "___version": 3, "_Version": 4, "_DELETED": 5,
                "__ID": 6, "versions": 7, "_a": 8, "_createdAt": 9, "_updatedat": 10,
            ])
        var item = columns
        for name in ["id", "createdAt", "updatedAt", "version"] { item[name] = "the table's" }
        item["deleted"] = false
        #expect(SystemColumns.unescaped(item) == members)
    }

    @Test func `leave every document as it was after a round trip`() {
        var random = SeededGenerator()
        let names = ["id", "version", "deleted", "createdAt", "updatedAt", "text"]
        for _ in 0..<2_000 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<5 {
                var name = names.randomElement(using: &random) ?? "text"
                if Bool.random(using: &random) { name = name.uppercased() }
                name = String(repeating: "_", count: Int(random.next() % 3)) + name
                if name != "id" { members[name] = .integer(Int64(random.next() % 100)) }
            }
            var item = SystemColumns.escaped(members)
            item["id"] = "x"
            item["version"] = "MQ=="
            item["deleted"] = false
            #expect(SystemColumns.unescaped(item) == members, "\(random)")
        }
    }
}
