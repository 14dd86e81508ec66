import HTTPTypes
import Hummingbird
import Settle

extension TableCall {
    /// The most operations of one batch.
    static let batchCountMax = 1_000

    /// POST of many operations on the items of a table: 200 with a result for each.
    ///
    /// Each is taken on its own merits, in their order, and all that are carried out are stored in one
    /// commit. Only a batch that cannot be read, and a store that fails, are answered as a whole; then
    /// nothing is stored.
    func batch(in name: TableName) async throws -> Response {
        guard let elements = try await jsonBody(levels: 3)["operations"]?.arrayValue else {
            throw Refusal(.badRequest, "The body of a batch is {\"operations\": [...]}.")
        }
        guard elements.count <= Self.batchCountMax else {
            throw Refusal(
                .contentTooLarge,
                "A batch has at most \(Self.batchCountMax) operations; this one has "
                    + "\(elements.count).")
        }
        let operations = elements.map { element in
            Result { () throws(Refusal) in try BatchOperation(element, in: dialect) }
        }
        var results = try await perform(operations.compactMap { try? $0.get() }, in: name)[...]
        let answers = operations.map { operation -> JSONValue in
            switch operation {
            case .failure(let refusal): return json(refusal)
            case .success(let operation):
                switch results.removeFirst() {
                case .failure(let refusal): return json(refusal)
                case .success(let item): return json(item, after: operation.kind)
                }
            }
        }
        return Answer.json(["results": .array(answers)])
    }

    private func perform(
        _ operations: [BatchOperation], in name: TableName
    ) async throws -> [Result<TableItem, Refusal>] {
        guard !operations.isEmpty else { return [] }
        // A table comes into being with its first item only, not with one that is refused.
        let isCreated = operations.contains { operation in
            guard case .insert(_, let attachments) = operation.write.operation else { return false }
            guard attachments?.isEmpty ?? true else { return false }
            let decision = operation.write.operation.decision(
                on: nil, expecting: .none, by: identity)
            if case .refuse = decision { return false }
            return true
        }
        guard let table = try await table(name, isCreated: isCreated) else {
            return operations.map { .failure(refusalWithoutTable($0.write)) }
        }
        let results = try await table.perform(
            operations.map(\.write), by: identity, now: responder.now())
        responder.metrics.itemsWritten(results.count { (try? $0.get()) != nil })
        return results
    }

    /// Why an operation cannot be carried out while there is no table.
    private func refusalWithoutTable(_ write: ItemWrite) -> Refusal {
        let decision = write.operation.decision(
            on: nil, expecting: write.expectation, by: identity)
        if case .refuse(let refusal) = decision { return refusal }
        return write.operation.attachments?.first.map { Table.contentMissing($0.name) } ?? .missing
    }

    /// Shape: `{"status": number, "item": object}`; of a deletion the version in place of the item.
    private func json(_ item: TableItem, after kind: BatchOperation.Kind) -> JSONValue {
        let status = JSONValue.integer(Int64(kind.status.code))
        guard kind != .delete else {
            return ["status": status, "version": .string(item.version)]
        }
        return ["status": status, "item": item.json(in: dialect)]
    }

    /// Shape: `{"status": number, "error": string}`, with the server's item when there is one.
    private func json(_ refusal: Refusal) -> JSONValue {
        let refusal = dialect.wording(refusal)
        var json: [String: JSONValue] = [
            "status": .integer(Int64(refusal.status.code)), "error": .string(refusal.message),
        ]
        json["item"] = refusal.item?.json(in: dialect)
        return .object(json)
    }
}
