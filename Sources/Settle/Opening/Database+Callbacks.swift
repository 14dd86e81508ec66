import Dispatch

// The completion-handler forms of the asynchronous methods, as the Predix SDK had them. Each calls
// its handler once, on the completion queue of the database. Changes are made in the order of the
// calls; reads and queries do not wait for them.

extension Database {
    /// How a change ended.
    public enum UpdateResult<Value: Sendable>: Sendable {
        /// It is stored; this is the document, or what else the change gives.
        case success(result: Value)
        /// Nothing was stored.
        case failed(error: any Error)
    }

    /// Opens a database; see ``open(with:create:)``.
    ///
    /// The handler is called on the configuration's completion queue.
    public static func open(
        with configuration: OpenDatabaseConfiguration = .default, create: Bool = false,
        completionHandler: @escaping @Sendable (Result<Database?, any Error>) -> Void
    ) {
        Task {
            let result: Result<Database?, any Error>
            do {
                result = .success(try await open(with: configuration, create: create))
            } catch {
                result = .failure(error)
            }
            configuration.completionQueue.async { completionHandler(result) }
        }
    }

    /// Reads a document; nil when there is none or it cannot be read.
    public func fetchDocument(
        _ id: String, completionHandler: @escaping @Sendable (Document?) -> Void
    ) {
        complete(completionHandler) { try? await $0.fetchDocument(id) }
    }

    /// Reads several documents; none when they cannot be read.
    public func fetchDocuments(
        _ ids: [String], completionHandler: @escaping @Sendable ([String: Document]) -> Void
    ) {
        complete(completionHandler) { (try? await $0.fetchDocuments(ids)) ?? [:] }
    }

    /// Stores a new document.
    public func add(
        _ document: Document,
        completionHandler: @escaping @Sendable (UpdateResult<Document>) -> Void
    ) {
        change(completionHandler) { try $0.add(document) }
    }

    /// Changes a document that is there.
    public func update(
        _ document: Document,
        completionHandler: @escaping @Sendable (UpdateResult<Document>) -> Void
    ) {
        change(completionHandler) { try $0.update(document) }
    }

    /// Stores a document, new or not.
    public func save(
        _ document: Document,
        completionHandler: @escaping @Sendable (UpdateResult<Document>) -> Void
    ) {
        change(completionHandler) { try $0.save(document) }
    }

    /// Deletes a document; one that is not there is a success.
    ///
    /// The result is the identifier.
    public func delete(
        documentWithId id: String,
        completionHandler: @escaping @Sendable (UpdateResult<String>) -> Void
    ) {
        change(completionHandler) { transaction in
            try transaction.delete(documentWithId: id)
            return id
        }
    }

    /// Asks an index.
    ///
    /// When the query fails, the answer has no rows and its `error` is set.
    public func runQuery(
        on index: String, with parameters: any QueryParameters,
        completionHandler: @escaping @Sendable (QueryResultEnumerator) -> Void
    ) {
        complete(completionHandler) { database in
            do {
                return try await database.runQuery(on: index, with: parameters)
            } catch {
                return QueryResultEnumerator(
                    rows: [], startRow: parameters.startRow, error: error)
            }
        }
    }

    /// Queues a change on the calling thread, so that changes keep the order of the calls.
    private func change<Value: Sendable>(
        _ handler: @escaping @Sendable (UpdateResult<Value>) -> Void,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) {
        enqueue(body) { [completionQueue] result in
            completionQueue.async {
                switch result {
                case .success(let value): handler(.success(result: value))
                case .failure(let error): handler(.failed(error: error))
                }
            }
        }
    }

    private func complete<Value: Sendable>(
        _ handler: @escaping @Sendable (Value) -> Void,
        _ work: @escaping @Sendable (Database) async -> Value
    ) {
        Task {
            let value = await work(self)
            completionQueue.async { handler(value) }
        }
    }
}
