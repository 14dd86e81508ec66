import Dispatch
import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

/// The worked example of Docs/Formats/Outbox.md, made and read row by row.
@Suite(.serialized) struct `The format of the outbox` {
    private struct Put: OutboxOperation {
        static let operationName = "put"
        var id = "ann"
    }

    private struct Row: Equatable {
        var table: String
        var key: String
        var value: String
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16, uppercase: true).dropFirst() }
            .joined(separator: " ")
    }

    private func text() throws -> String {
        try String(
            contentsOf: Fixture.packageRoot.appendingPathComponent("Docs/Formats/Outbox.md"),
            encoding: .utf8)
    }

    /// What the page shows: the rows of its last table.
    private func shown() throws -> [Row] {
        try text().split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            guard cells.count == 4, cells[0].hasPrefix("outbox") else { return nil }
            return Row(table: cells[0], key: cells[1], value: cells[2])
        }
    }

    private func stored(_ database: Database) throws -> [Row] {
        try database.read { snapshot in
            var rows: [Row] = []
            for name in ["outbox", "outbox.tags", "outbox.links"] {
                try snapshot.table(name)?.forEach(from: []) { key, value in
                    rows.append(Row(table: name, key: hexadecimal(key), value: hexadecimal(value)))
                    return true
                }
            }
            return rows
        }
    }

    private func identifier(_ byte: UInt8) throws -> UUID {
        let digits = hexadecimal([byte])
        let groups = [4, 2, 2, 2, 6].map { String(repeating: digits, count: $0) }
        return try #require(UUID(uuidString: groups.joined(separator: "-")))
    }

    @Test func `is the one that the page shows`() async throws {
        let scratch = try ScratchDirectory("format")
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "format"), durability: .relaxed)
        let database = try #require(
            try await Database.open(with: configuration, create: true))
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [Put.self], pipelines: [PipelineConfiguration()]))
        let (first, second, third) = try (identifier(0xAA), identifier(0xBB), identifier(0xCC))
        try await database.write { transaction in
            try transaction.save(["id": "ann", "n": 1])
            let queue = try transaction.outbox
            try queue.add(Put(), id: first, about: ["ann"], recordsChanges: true)
            try queue.add(Put(), id: second, dependencies: [first], priority: 5)
            try queue.add(Put(), id: third, priority: -1)
            try queue.hold(
                third, until: Date(timeIntervalSince1970: 2_000_000_000), context: "wifi")
            try queue.setNotes(["at": 5], of: third)
            try queue.attach("/a", to: "ann")
            try queue.attach("/b", to: "ann", isPending: true)
            try queue.setTag(.string("7"), "etag", of: "/a")
            try queue.setTag(.integer(1 << 53 + 1), "n", of: "/a")
        }
        try await outbox.write { try $0.markActive(first) }
        let (rows, page) = (try stored(database), try shown())
        #expect(rows == page)
        #expect(rows.count == 20)
        // And what the page says about the second operation.
        try await outbox.write { try $0.complete(first) }
        let place = "03 00 00 00 01 00 7F FF FF FA 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 02"
        #expect(try stored(database).contains(Row(table: "outbox", key: place, value: "01")))
        #expect(try text().contains(place))
        await outbox.close()
        await database.close()
        withExtendedLifetime(scratch) {}
    }
}
