import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

/// A table that takes operations together, as `settle serve` does, with little room in its answers.
///
/// It knows inserts, updates and deletions. Who lists it is shown nothing.
final class BatchTable: HTTPTransport {
    private struct Row {
        var columns: [String: JSONValue] = [:]
        var version = 0
        var isDeleted = false
    }

    private struct Write {
        var kind: String
        var id: String
        var version: String?
        var columns: [String: JSONValue]
    }

    private struct State {
        var rows: [String: Row] = [:]
        var writeCount = 0
        var batchCount = 0
    }

    private let resultCountMax: Int
    private let answerSizeMax: Int
    private let state = Mutex(State())

    /// A table without rows.
    ///
    /// - Parameters:
    ///   - resultCountMax: How many operations of a batch are taken; the others are to be sent in
    ///     another one.
    ///   - answerSizeMax: The bytes of the largest answer to a batch that gets through.
    init(resultCountMax: Int, answerSizeMax: Int) {
        self.resultCountMax = resultCountMax
        self.answerSizeMax = answerSizeMax
    }

    /// How many writes were carried out.
    var writeCount: Int { state.withLock { $0.writeCount } }

    /// How many batches came.
    var batchCount: Int { state.withLock { $0.batchCount } }

    /// The columns that the clients wrote, of the rows that are not deleted.
    var contents: [String: [String: JSONValue]] {
        state.withLock { $0.rows.filter { !$0.value.isDeleted }.mapValues(\.columns) }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let parts = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/").map(String.init)
        let sent = body.flatMap { try? JSONText.value(from: $0) } ?? [:]
        guard request.method != .get else { return FullHTTPResponse.json(200, "[]").offering() }
        if parts.last == "batch" {
            let answer = state.withLock { batch(sent["operations"]?.arrayValue ?? [], &$0) }
            guard answer.body.count <= answerSizeMax else {
                throw ReplicationError.tooLarge(answerSizeMax)
            }
            return answer
        }
        let kinds: [HTTPRequest.Method: String] = [.post: "insert", .patch: "update"]
        let version = request.headerFields[.ifMatch].map { String($0.dropFirst().dropLast()) }
        let write = Write(
            kind: kinds[request.method] ?? "delete",
            id: parts.count > 2 ? parts[2] : sent["id"]?.stringValue ?? "", version: version,
            columns: sent.objectValue ?? [:])
        let (status, item) = state.withLock { Self.carryOut(write, &$0) }
        return .json(status, Self.text(item ?? ["error": "The item does not exist."])).offering()
    }

    private func batch(_ operations: [JSONValue], _ state: inout State) -> FullHTTPResponse {
        state.batchCount += 1
        var results: [JSONValue] = []
        for (index, operation) in operations.enumerated() {
            guard index < resultCountMax else {
                results.append(["status": 413, "error": "Send this operation in another batch."])
                continue
            }
            let write = Write(
                kind: operation["op"]?.stringValue ?? "", id: operation["id"]?.stringValue ?? "",
                version: operation["version"]?.stringValue,
                columns: operation["item"]?.objectValue ?? [:])
            let (status, item) = Self.carryOut(write, &state)
            var result: [String: JSONValue] = ["status": .integer(Int64(status))]
            result["item"] = item
            results.append(.object(result))
        }
        return FullHTTPResponse.json(200, Self.text(["results": .array(results)])).offering()
    }

    private static func carryOut(
        _ write: Write, _ state: inout State
    ) -> (status: Int, item: JSONValue?) {
        var row = state.rows[write.id] ?? Row()
        if write.kind == "insert" {
            guard row.version == 0 else { return (409, shown(write.id, row)) }
        } else {
            guard row.version > 0, !row.isDeleted else { return (404, nil) }
            guard write.version == "v\(row.version)" else { return (412, shown(write.id, row)) }
        }
        row.version += 1
        row.isDeleted = write.kind == "delete"
        row.columns.merge(write.columns) { $1 }
        row.columns["id"] = nil
        state.rows[write.id] = row
        state.writeCount += 1
        return (write.kind == "insert" ? 201 : 200, shown(write.id, row))
    }

    private static func shown(_ id: String, _ row: Row) -> JSONValue {
        var columns = row.columns
        columns["id"] = .string(id)
        columns["updatedAt"] = "2021-01-01T00:00:00.000001Z"
        columns["version"] = .string("v\(row.version)")
        columns["deleted"] = .bool(row.isDeleted)
        return .object(columns)
    }

    private static func text(_ json: JSONValue) -> String {
        String(decoding: JSONText.text(of: json), as: UTF8.self)
    }
}
