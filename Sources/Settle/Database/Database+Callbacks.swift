import Dispatch

// The completion-handler forms of the asynchronous methods, as the Predix SDK had them. Each calls
// its handler once, on the completion queue of the database.

extension Database {
    /// How a change ended.
    public enum UpdateResult<Value: Sendable>: Sendable {
        /// It is stored; this is the document, or what else the change gives.
        case success(result: Value)
        /// Nothing was stored.
        case failed(error: any Error)
    }

    /// Opens a database at once; see ``open(with:create:)``.
    ///
    /// The handler is called on the configuration's completion queue.
    public static func open(
        with configuration: OpenDatabaseConfiguration = .default, create: Bool = false,
        completionHandler: @escaping @Sendable (Result<Database?, any Error>) -> Void
    ) {
        let result = Result { try openNow(with: configuration, create: create) }
        configuration.completionQueue.async { completionHandler(result) }
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
        complete(completionHandler) { database in
            await UpdateResult { try await database.add(document) }
        }
    }

    /// Changes a document that is there.
    public func update(
        _ document: Document,
        completionHandler: @escaping @Sendable (UpdateResult<Document>) -> Void
    ) {
        complete(completionHandler) { database in
            await UpdateResult { try await database.update(document) }
        }
    }

    /// Stores a document, new or not.
    public func save(
        _ document: Document,
        completionHandler: @escaping @Sendable (UpdateResult<Document>) -> Void
    ) {
        complete(completionHandler) { database in
            await UpdateResult { try await database.save(document) }
        }
    }

    /// Deletes a document; one that is not there is a success.
    ///
    /// The result is the identifier.
    public func delete(
        documentWithId id: String,
        completionHandler: @escaping @Sendable (UpdateResult<String>) -> Void
    ) {
        complete(completionHandler) { database in
            await UpdateResult {
                try await database.delete(documentWithId: id)
                return id
            }
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

extension Database.UpdateResult {
    fileprivate init(_ work: () async throws -> Value) async {
        do {
            self = .success(result: try await work())
        } catch {
            self = .failed(error: error)
        }
    }
}
