import HTTPTypes
import Settle
public import SettleSync

// The route of `settle serve`; Docs/Formats/AzureTables.md.

extension AzureTablesBackend {
    /// How many operations may go together: many where the server announces batches, else 1.
    ///
    /// A read comes before the first write of a back-end that has had no answer yet.
    public func batchCountMax() async throws(ReplicationError) -> Int {
        if memory.features == nil { try await findOutFeatures() }
        return memory.features?.contains(.batch) ?? false ? RESTTuning.batchCountMax : 1
    }

    private func findOutFeatures() async throws(ReplicationError) {
        guard let dialect = memory.dialect else {
            _ = try await dialectForWriting()
            return
        }
        // None of that generation has any.
        if dialect == .v1 { return }
        let (_, answer) = try await get { _ in Self.leastRead }
        switch answer.status {
        case 408, 425, 429, 502...504: throw answer.failure("list the table")
        // Whatever else is said to a read, the writes will tell; but it is not asked again.
        default: memory.expectNoFeatures()
        }
    }

    /// Carries out several operations, in as few requests as their size allows.
    ///
    /// What goes into a batch, and what is made of the results, is as with ``send(_:)-(RemoteOperation)``.
    /// An operation that would not be a request of its own there, or a very large one, takes that way
    /// here, too.
    ///
    /// A batch that the server finds too large is halved. One that is not understood, or not answered
    /// as a batch, is an error; then the server counts as one without batches for as long as this
    /// back-end lives, and the replicator sends the operations again by themselves and recognises those
    /// that were carried out.
    public func send(
        _ operations: [RemoteOperation]
    ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>] {
        var sending = BatchSending(
            self, try await dialectForWriting(), count: operations.count)
        for (index, operation) in operations.enumerated() {
            guard memory.features?.contains(.batch) ?? false,
                let element = BatchElement(index, operation, sending.dialect),
                element.text.count <= RESTTuning.batchSizeMax
            else {
                await sending.sendAlone(operation, at: index)
                continue
            }
            await sending.add(element)
        }
        return await sending.finish()
    }

    /// Sends one batch.
    ///
    /// - Returns: An answer for each operation; nil when the batch is too large for the server.
    /// - Throws: ``SettleSync/ReplicationError`` as `exchange`, and when the answer is none to a batch.
    fileprivate func answers(
        to batch: [BatchElement], _ dialect: Dialect
    ) async throws(ReplicationError) -> [OperationAnswer]? {
        let answer = try await exchange(
            dialect, .post, address.path + "/operations/batch",
            fields: [.contentType: "application/json"], body: BatchElement.body(of: batch),
            answerSizeMax: RESTTuning.answerSizeMax)
        memory.keepFeatures(of: answer)
        switch answer.status {
        case 200:
            let json = try answer.json()
            let results = json["results"]?.arrayValue?.compactMap { OperationAnswer($0) }
            if let results, results.count == batch.count { return results }
        case 413: return nil
        case 408, 425, 429, 500, 502...599: throw answer.failure("carry out a batch")
        default: break
        }
        // Somebody in between may know no such route. What a request of its own is told is surer.
        memory.refuse(.batch)
        throw ReplicationError(
            .protocolViolation,
            "The server announces batches and answered one with \(answer.status) and no results; "
                + "from now on each operation goes by itself.")
    }
}

/// Sends operations in batches, and collects what came of each.
private struct BatchSending {
    let backend: AzureTablesBackend
    let dialect: AzureTablesBackend.Dialect
    private var results: [Result<RemoteOutcome, ReplicationError>?]
    private var batch: [BatchElement] = []
    private var size = 0
    /// Why nothing more is sent: a failure that has nothing to do with what was sent.
    private var obstacle: ReplicationError?

    init(_ backend: AzureTablesBackend, _ dialect: AzureTablesBackend.Dialect, count: Int) {
        self.backend = backend
        self.dialect = dialect
        results = Array(repeating: nil, count: count)
    }

    /// Puts an operation into the next batch, which goes when it is large enough.
    mutating func add(_ element: BatchElement) async {
        if size + element.text.count > RESTTuning.batchSizeMax { await flush() }
        batch.append(element)
        size += element.text.count
    }

    /// Sends what is left.
    ///
    /// - Returns: A result for each operation.
    mutating func finish() async -> [Result<RemoteOutcome, ReplicationError>] {
        await flush()
        return results.map { result in
            guard let result else { preconditionFailure("Every operation was sent.") }
            return result
        }
    }

    /// Sends an operation by its own request.
    mutating func sendAlone(_ operation: RemoteOperation, at index: Int) async {
        do throws(ReplicationError) {
            if let obstacle { throw obstacle }
            results[index] = .success(try await backend.send(operation))
        } catch {
            fail(error, at: [index])
        }
    }

    private mutating func flush() async {
        let elements = batch
        (batch, size) = ([], 0)
        if !elements.isEmpty { await send(elements) }
    }

    private mutating func send(_ elements: [BatchElement]) async {
        if elements.count == 1 {
            return await sendAlone(elements[0].operation, at: elements[0].index)
        }
        do throws(ReplicationError) {
            if let obstacle { throw obstacle }
            guard let answers = try await backend.answers(to: elements, dialect) else {
                let middle = elements.count / 2
                await send(Array(elements[..<middle]))
                await send(Array(elements[middle...]))
                return
            }
            for (element, answer) in zip(elements, answers) {
                do throws(ReplicationError) {
                    results[element.index] = .success(
                        try await backend.outcome(
                            of: element.operation, answer, dialect, unlessAskingMeets: obstacle))
                } catch {
                    fail(error, at: [element.index])
                }
            }
        } catch {
            fail(error, at: elements.map(\.index))
        }
    }

    private mutating func fail(_ error: ReplicationError, at indices: [Int]) {
        for index in indices { results[index] = .failure(error) }
        let isAboutWhatWasSent: Set<ReplicationError.Code> = [
            .serverFailed, .protocolViolation, .answerTooLarge,
        ]
        // Every other request would only wait for the same.
        if !isAboutWhatWasSent.contains(error.code) { obstacle = obstacle ?? error }
    }
}

/// An operation as it stands in a batch.
private struct BatchElement {
    /// Its place among the operations to be sent.
    let index: Int
    let operation: RemoteOperation
    /// JSON: `{"op": string, "id": string, "version": string, "item": object}`.
    let text: [UInt8]

    /// Writes an operation down; nil when it would be no single request by itself either: one that no
    /// address can carry, or an update of nothing.
    init?(
        _ index: Int, _ operation: RemoteOperation, _ dialect: AzureTablesBackend.Dialect
    ) {
        guard dialect.fault(ofId: operation.id) == nil else { return nil }
        var members: [String: JSONValue] = ["id": .string(operation.id)]
        switch operation.kind {
        case .insert:
            members["op"] = "insert"
            members["item"] = AzureTablesBackend.item(operation, dialect)
        case .update:
            guard let change = AzureTablesBackend.change(operation, dialect) else { return nil }
            members["op"] = dialect.change == .merge ? "update" : "replace"
            members["item"] = change
        case .delete: members["op"] = "delete"
        case .undelete: members["op"] = "undelete"
        }
        if operation.kind != .insert, let version = operation.baseVersion {
            members["version"] = .string(version)
        }
        self.index = index
        self.operation = operation
        text = JSONText.text(of: .object(members))
    }

    /// JSON: `{"operations": array}`, made of what is written down already.
    static func body(of batch: [BatchElement]) -> [UInt8] {
        var body = Array(#"{"operations":["#.utf8)
        body.reserveCapacity(batch.reduce(32) { $0 + $1.text.count + 1 })
        for (index, element) in batch.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += element.text
        }
        return body + Array("]}".utf8)
    }
}
