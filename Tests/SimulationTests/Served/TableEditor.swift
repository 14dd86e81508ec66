import HTTPTypes
import Settle
import SettleREST

/// Somebody who changes a row of a served table as any client may, minding versions.
struct TableEditor {
    /// More devices than this are never faster in a row.
    private static let patience = 100

    private let table: ServedTable
    private let client: TableClient
    private let id: String
    private let draw: UInt64
    private let mark: String

    init(_ table: ServedTable, _ id: String, _ draw: UInt64, mark: String) {
        self.table = table
        (self.id, self.draw, self.mark) = (id, draw, mark)
        client = table.client(draw >> 40 & 1 == 0 ? .version2 : .version3)
    }

    /// Reads the row and writes it, until nobody comes in between.
    func edit() async throws {
        for _ in 0..<Self.patience {
            let row = try await client.row(id)
            guard let row, !row.isDeleted else {
                if try await makeAnew(over: row) { return }
                continue
            }
            if draw % 5 == 0 {
                let answer = try await client.send(
                    .delete, client.path(id), ifMatch: row.version)
                guard try isDone(answer, "The deletion of '\(id)'") else { continue }
                table.ledger.gaveUp(Ledger.marks(in: row.columns), of: id)
                return table.journal.note("server deletes '\(id)'")
            }
            if try await change(row) { return }
        }
        table.ledger.complain("'\(id)' cannot be edited on the server.")
    }

    /// The members that the edit gives the row.
    private func change(isThere: Bool) -> [String: JSONValue] {
        var change: [String: JSONValue] = [mark: true, "last": .string(mark)]
        if draw % 3 == 0 || !isThere { change["channels"] = SimulatedChannels.some(draw / 16) }
        return change
    }

    private func change(_ row: TableClient.Row) async throws -> Bool {
        let change = change(isThere: true)
        let isWhole = client.version == .version3 && draw >> 41 & 1 == 0
        let answer = try await client.send(
            isWhole ? .put : .patch, client.path(id),
            .object(isWhole ? row.columns.merging(change) { $1 } : change), ifMatch: row.version)
        return try hasWritten(answer)
    }

    /// Inserts the row, or brings it back with nothing of what it was.
    private func makeAnew(over row: TableClient.Row?) async throws -> Bool {
        var change = change(isThere: false)
        guard let row else {
            change["id"] = .string(id)
            return try hasWritten(try await client.send(.post, client.path, .object(change)))
        }
        if client.version == .version3 {
            change["deleted"] = false
            return try hasWritten(
                try await client.send(
                    .put, client.path(id) + "?__includedeleted=true", .object(change),
                    ifMatch: row.version))
        }
        let answer = try await client.send(.post, client.path(id), ifMatch: row.version)
        guard try isDone(answer, "The undeletion of '\(id)'"),
            let body = try? JSONText.value(from: answer.body),
            let restored = TableClient.Row(body)
        else { return false }
        return try hasWritten(
            try await client.send(
                .put, client.path(id), .object(change), ifMatch: restored.version))
    }

    private func hasWritten(_ answer: FullHTTPResponse) throws -> Bool {
        guard try isDone(answer, "The edit \(mark) of '\(id)'") else { return false }
        table.ledger.wrote(mark, in: id, by: "the server")
        table.journal.note("server writes \(mark) to '\(id)': \(Self.text(answer))")
        return true
    }

    /// Whether a write was carried out; false when somebody was faster.
    private func isDone(_ answer: FullHTTPResponse, _ what: String) throws -> Bool {
        switch answer.head.status.code {
        case 200, 201, 204: return true
        case 404, 409, 410, 412: return false
        default: throw TableClient.Surprise(answer, to: what)
        }
    }

    private static func text(_ answer: FullHTTPResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }
}
