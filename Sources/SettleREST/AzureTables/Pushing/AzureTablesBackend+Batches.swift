import HTTPTypes
import Settle
public import SettleSync
import SettleTableProtocol

// The route of `settle serve`; Docs/Formats/AzureTables.md.

extension AzureTablesBackend {
    /// How many operations may go together: many where the server announces batches, else 1.
    ///
    /// A read comes before the first write of a back-end that has had no response yet.
    public func batchCountMax() async throws(ReplicationError) -> Int {
        if memory.features == nil { try await findOutFeatures() }
        return memory.features?.contains(.batch) ?? false ? RESTTuning.batchCountMax : 1
    }

    func findOutFeatures() async throws(ReplicationError) {
        guard let dialect = memory.dialect else {
            _ = try await dialectForWriting()
            return
        }
        // None of that generation has any.
        if dialect == .v1 { return }
        let (_, response) = try await get { _ in Self.leastRead }
        switch response.status {
        case 408, 425, 429, 502...504: throw response.failure("list the table")
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
    /// A batch that the server finds too large is halved, and an operation that found no more room in
    /// the response to one goes by itself. A batch whose answer is too large for us is halved, too: what
    /// was carried out comes back as a conflict with an item as it was sent. Where it is a conflict
    /// with another item, the result is a failure, so that the replicator sends the operation by itself
    /// as one whose answer was lost.
    ///
    /// One that is not understood, or not answered as a batch, is an error; then the server counts as
    /// one without batches for as long as this back-end lives, and the replicator sends the operations
    /// again by themselves and recognises those that were carried out.
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
    /// - Throws: ``SettleSync/ReplicationError`` as `exchange`, but for a response that is too large;
    ///   and when the response is none to a batch.
    fileprivate func response(
        to batch: [BatchElement], _ dialect: Dialect
    ) async throws(ReplicationError) -> BatchResponse {
        let response: FullHTTPResponse
        do throws(ReplicationError) {
            response = try await exchange(
                dialect, .post, address.path + "/operations/batch",
                fields: [.contentType: "application/json"], body: BatchElement.body(of: batch),
                answerSizeMax: RESTTuning.answerSizeMax)
        } catch {
            guard error.code == .responseTooLarge else { throw error }
            return .unread
        }
        memory.keepFeatures(of: response)
        switch response.status {
        case 200:
            let json = try response.json()
            let results = json[BatchMember.results]?.elements?.compactMap {
                OperationResponse($0, storesJSON: response.storesJSON)
            }
            if let results, results.count == batch.count { return .results(results) }
        case 413: return .refused
        case 408, 425, 429, 500, 502...599: throw response.failure("carry out a batch")
        default: break
        }
        // Somebody in between may know no such route. What a request of its own is told is surer.
        memory.refuse(.batch)
        throw ReplicationError(
            .protocolViolation,
            "The server announces batches and answered one with \(response.status) and no results; "
                + "from now on each operation goes by itself.")
    }
}

/// What came of a batch.
private enum BatchResponse {
    /// A response for each operation.
    case results([OperationResponse])
    /// The batch is too large for the server, which carried out nothing.
    case refused
    /// The response is too large for us; each operation may have been carried out.
    case unread
}

/// Sends operations in batches, and collects what came of each.
private struct BatchSending {
    let backend: AzureTablesBackend
    let dialect: AzureTablesBackend.Dialect
    private var results: [Result<RemoteOutcome, ReplicationError>?]
    private var batch: [BatchElement] = []
    private var size = 0
    /// The places of operations that were sent with a response that was not read.
    private var repeated: Set<Int> = []
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
            keep(try await backend.send(operation), of: operation, at: index)
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
            switch try await backend.response(to: elements, dialect) {
            case .results(let responses):
                for (element, response) in zip(elements, responses) {
                    await take(response, to: element)
                }
            case .refused:
                await sendHalves(of: elements)
            case .unread:
                repeated.formUnion(elements.map(\.index))
                await sendHalves(of: elements)
            }
        } catch {
            fail(error, at: elements.map(\.index))
        }
    }

    private mutating func sendHalves(of elements: [BatchElement]) async {
        let middle = elements.count / 2
        await send(Array(elements[..<middle]))
        await send(Array(elements[middle...]))
    }

    private mutating func take(_ response: OperationResponse, to element: BatchElement) async {
        let operation = element.operation
        // It was not carried out: the response to the batch had no more room, or it is too large
        // itself, which it is then told again.
        if response.status == 413 { return await sendAlone(operation, at: element.index) }
        do throws(ReplicationError) {
            let outcome = try await backend.outcome(
                of: operation, response, dialect, unlessAskingMeets: obstacle)
            keep(outcome, of: operation, at: element.index)
        } catch {
            fail(error, at: [element.index])
        }
    }

    /// Keeps what came of an operation.
    ///
    /// When it was sent before and its item is another one now, somebody may have changed it after
    /// we did. Only the replicator can tell, and only of what it knows to have been sent before; it
    /// sends the operation once more.
    private mutating func keep(
        _ outcome: RemoteOutcome, of operation: RemoteOperation, at index: Int
    ) {
        let isWhole = operation.kind == .insert || operation.kind == .update
        if isWhole, repeated.contains(index), case .conflict(let item?) = outcome,
            !item.isDeleted, !item.shows(operation.members)
        {
            return fail(
                ReplicationError(
                    .responseTooLarge,
                    "The answer to a batch was too large, and the item is not what was sent.",
                    documentId: operation.id), at: [index])
        }
        results[index] = .success(outcome)
    }

    private mutating func fail(_ error: ReplicationError, at indices: [Int]) {
        for index in indices { results[index] = .failure(error) }
        let isAboutWhatWasSent: Set<ReplicationError.Code> = [
            .serverFailed, .protocolViolation, .responseTooLarge,
        ]
        // Every other request would only wait for the same.
        if !isAboutWhatWasSent.contains(error.code) { obstacle = obstacle ?? error }
    }
}

extension RemoteItem {
    /// Whether the item has exactly some members; null is as good as none.
    fileprivate func shows(_ sent: [String: JSONValue]) -> Bool {
        Set(members.keys).union(sent.keys)
            .allSatisfy { (members[$0] ?? .null) == (sent[$0] ?? .null) }
    }
}
