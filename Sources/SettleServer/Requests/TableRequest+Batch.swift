import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

extension TableRequest {
    /// The most operations of one batch.
    static let batchCountMax = 1_000

    /// POST of many operations on the items of a table: 200 with a result for each.
    ///
    /// Each is taken on its own merits, in their order, and all that are carried out are stored in one
    /// commit. Only a batch that cannot be read, and a store that fails, are answered as a whole; then
    /// nothing is stored.
    func batch(in name: TableName) async throws -> Response {
        try checkMayWriteJSON()
        let dialect = dialect
        let operations = try await read { try Self.operations($0, in: dialect) }
        var results = try await perform(operations.compactMap { try? $0.get() }, in: name)[...]
        let answers = operations.map { operation -> BatchResponse in
            switch operation {
            case .failure(let problem): return .problem(dialect.wording(problem))
            case .success(let operation):
                switch results.removeFirst() {
                case .failure(let problem): return .problem(dialect.wording(problem))
                case .success(let item): return .item(item, operation.kind)
                }
            }
        }
        return try await responder.answers.json(
            about: answers.reduce(0) { $0 + $1.approximateSize }, for: identity.sender,
            to: connection
        ) { text in
            text.append(contentsOf: "{\"\(BatchMember.results)\":[".utf8)
            for (index, answer) in answers.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                answer.write(in: dialect, to: &text)
            }
            text.append(contentsOf: "]}".utf8)
        }
    }

    /// The operations of a batch, each as far as it can be read.
    private static func operations(
        _ bytes: [UInt8], in dialect: TableDialect
    ) throws(Problem) -> [Result<BatchOperation, Problem>] {
        let json = try ItemBody.json(bytes, levels: 3)
        guard let count = json.partCount(of: BatchMember.operations) else {
            throw Problem(.badRequest, "The body of a batch is {\"operations\": [...]}.")
        }
        guard count <= batchCountMax else {
            throw Problem(
                .contentTooLarge,
                "A batch has at most \(batchCountMax) operations; this one has "
                    + "\(count).")
        }
        return json.mapParts(of: BatchMember.operations) { element in
            Result { () throws(Problem) in try BatchOperation(element, in: dialect) }
        }
    }

    private func perform(
        _ operations: [BatchOperation], in name: TableName
    ) async throws -> [Result<TableItem, Problem>] {
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
            return operations.map { .failure(problemWithoutTable($0.write)) }
        }
        let results = try await table.perform(
            operations.map(\.write), by: identity, now: responder.now())
        responder.metrics.itemsWritten(results.count { (try? $0.get()) != nil })
        return results
    }

    /// Why an operation cannot be carried out while there is no table.
    private func problemWithoutTable(_ write: ItemWrite) -> Problem {
        let decision = write.operation.decision(
            on: nil, expecting: write.expectation, by: identity)
        if case .refuse(let problem) = decision { return problem }
        return write.operation.attachments?.first.map { HostedTable.contentMissing($0.name) }
            ?? .missing
    }
}
