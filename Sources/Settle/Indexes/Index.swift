import SettleDocuments
import SettleIndexing

extension Database {
    /// An index: rows that a map function makes of every document, in the order of their keys.
    ///
    /// ```swift
    /// let byColour = Database.Index(
    ///     name: "byColour", version: "1",
    ///     map: { document, addIndexRow in
    ///         if document.metaData.type == "fruit" {
    ///             addIndexRow([document["colour"], document["name"]], document["price"])
    ///         }
    ///     },
    ///     reduce: { _, values, _ in values.compactMap { $0 as? Int }.reduce(0, +) })
    /// ```
    ///
    /// Keys are ordered as CouchDB orders them: null, false, true, numbers, strings (by the
    /// Unicode root collation), arrays (element by element), objects.
    public struct Index: Indexer {
        /// The name queries use.
        public let name: String
        /// Changed when the map or reduce changes.
        public let version: String
        /// The rows of a document.
        public let map: Map
        /// Makes one value of many; nil for an index that is only looked up.
        public let reduce: Reduce?

        /// What the closures stand for, when they were made from a declaration.
        let declared: IndexDefinition?

        /// An index by closures.
        ///
        /// - Parameters:
        ///   - name: The name queries use.
        ///   - version: Change it whenever `map` changes, or old rows stay as they are: a closure
        ///     cannot be compared.
        ///   - map: The rows of a document.
        ///   - reduce: Makes one value of many.
        public init(
            name: String, version: String, map: @escaping Map, reduce: Reduce? = nil
        ) {
            self.name = name
            self.version = version
            self.map = map
            self.reduce = reduce
            declared = nil
        }

        init(_ definition: IndexDefinition, map: @escaping Map, reduce: Reduce?) {
            name = definition.name
            version = definition.version
            self.map = map
            self.reduce = reduce
            declared = definition
        }
    }
}

extension IndexDefinition {
    /// The definition that an indexer stands for.
    init(_ indexer: any Indexer) {
        if let declared = (indexer as? Database.Index)?.declared {
            self = declared
            return
        }
        let (map, name) = (indexer.map, indexer.name)
        self.init(
            name: name, version: indexer.version,
            reducer: indexer.reduce.map { .custom(Self.reducer($0)) }
        ) { id, record, emit in
            let document = try Document(id: id, record: record)
            let rows = RowCollector()
            map(document) { key, value in rows.add(key, value) }
            if let failure = rows.finish() {
                throw IndexError.mapFailed(index: name, documentID: id, reason: failure.reason)
            }
            for row in rows.rows { emit(row) }
        }
    }

    private static func reducer(
        _ reduce: @escaping Database.Reduce
    ) -> @Sendable ([JSONValue], [JSONValue?], Bool) throws -> JSONValue {
        { keys, values, rereduce in
            let result = reduce(
                keys.map { DynamicValue.any($0) },
                values.map { DynamicValue.any($0 ?? .null) }, rereduce)
            do {
                return try DynamicValue.json(result) ?? .null
            } catch let error as DynamicValue.Unsupported {
                throw IndexError.reduceFailed(
                    reason: "the reduce function returned \(error.reason)")
            }
        }
    }
}

/// Takes the rows that a map closure adds while it runs.
private final class RowCollector {
    private(set) var rows: [EmittedRow] = []
    private var failure: DynamicValue.Unsupported?
    private var isFinished = false

    func add(_ key: Any?, _ value: Any?) {
        precondition(!isFinished, "addIndexRow was called after the map function had returned.")
        do {
            guard let key = try DynamicValue.json(key) else { return }
            rows.append(EmittedRow(key: key, value: try DynamicValue.json(value)))
        } catch let error as DynamicValue.Unsupported {
            failure = failure ?? error
        } catch {
            failure = failure ?? DynamicValue.Unsupported(reason: "a value that cannot be stored")
        }
    }

    /// Ends the collection; answers what was wrong, if something was.
    func finish() -> DynamicValue.Unsupported? {
        isFinished = true
        return failure
    }
}
