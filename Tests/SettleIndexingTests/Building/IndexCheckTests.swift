import SettleDocuments
import SettlePrimitives
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `A check of an index` {
    private func filled() async throws -> (TestIndex, IndexDefinition) {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.sum))
        for number in 0..<300 {
            try await index.put(
                "d\(number)", [(.integer(Int64(number % 5)), .integer(1)), ("t", .integer(2))])
        }
        try await index.build(definition)
        #expect(try index.findings(definition) == [])
        #expect(try index.findings(nil) == [])
        return (index, definition)
    }

    /// Changes a table of the index behind its back; `body` gets its rows and answers a change.
    private func damage(
        _ index: TestIndex, _ definition: IndexDefinition, _ part: String,
        _ body:
            @escaping @Sendable ([(key: [UInt8], value: [UInt8])]) -> (
                key: [UInt8], value: [UInt8]?
            )
    ) async throws {
        let slot = try index.store.read("test") {
            try IndexReader(of: "test", fitting: definition, in: $0)?.slot
        }
        let name = "view/test/\(try #require(slot))/\(part)"
        try await index.store.write { transaction in
            let table = try transaction.createTable(named: name)
            var rows: [(key: [UInt8], value: [UInt8])] = []
            try table.forEach { key, value in
                rows.append((key.rest(from: 0), value.rest(from: 0)))
                return true
            }
            let (key, value) = body(rows)
            if let value { try table.set(value, for: key) } else { try table.remove(key) }
        }
    }

    /// Something is found, with and without the map.
    private func expectFindings(_ index: TestIndex, _ definition: IndexDefinition) throws {
        let known = try index.findings(definition)
        #expect(!known.isEmpty)
        let unknown = try index.findings(nil)
        #expect(!unknown.isEmpty)
    }

    @Test func `finds a value that its map does not give`() async throws {
        let (index, definition) = try await filled()
        let other = TestIndex.definition(.builtIn(.sum))
        let changed = IndexDefinition(
            name: "test", version: other.version, collation: .unicode, reducer: other.reducer
        ) { id, record, rows in
            if id.count == 2 {
                try rows.emit(key: 1, value: 1)
            } else {
                try other.map(id, record, rows)
            }
        }
        let findings = try index.findings(changed)
        #expect(findings.count == 1)
        #expect(findings.first?.contains("rows of 10 documents") == true)
        #expect(try index.findings(definition) == [])
    }

    @Test func `finds a run that is missing, and one that is damaged`() async throws {
        for isRemoved in [true, false] {
            let (index, definition) = try await filled()
            try await damage(index, definition, "rows") { rows in
                let row = rows[1]
                var value = row.value
                value[value.count - 1] ^= 0x7F
                return (row.key, isRemoved ? nil : value)
            }
            try expectFindings(index, definition)
        }
    }

    @Test func `finds back pointers that are missing`() async throws {
        let (index, definition) = try await filled()
        try await damage(index, definition, "documents") { rows in (rows[0].key, nil) }
        try expectFindings(index, definition)
    }

    @Test func `finds a stored reduction that its rows do not have`() async throws {
        let (index, definition) = try await filled()
        try await damage(index, definition, "rows") { rows in
            // The last row is the uppermost summary: count, length of the reduction, reduction.
            let row = rows[rows.count - 1]
            var value = row.value
            value[value.count - 1] ^= 1
            return (row.key, value)
        }
        try expectFindings(index, definition)
    }
}
