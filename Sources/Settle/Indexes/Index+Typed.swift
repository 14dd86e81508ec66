import SettleDocuments
import SettleIndexing
import SettleStorage

extension Database.Index {
    /// The rows of a document, from its members in place; see
    /// ``views(name:version:collation:filter:builtInReduce:map:)``.
    public typealias ViewMap =
        @Sendable (_ view: borrowing DocumentView, _ rows: borrowing IndexRowEmitter) throws -> Void

    /// The rows of a document, from a value of the application's type; see
    /// ``typed(_:name:version:collation:filter:builtInReduce:map:)``.
    public typealias TypedMap<Value> =
        @Sendable (_ value: Value, _ rows: borrowing IndexRowEmitter) throws -> Void

    /// An index by a closure that reads members by their types: the fastest there is in Swift.
    ///
    /// ```swift
    /// let byMonth = Database.Index.views(
    ///     name: "byMonth", version: "1", filter: ["type": "order"], builtInReduce: .sum
    /// ) { view, rows in
    ///     guard let day = try view.string("day") else { return }
    ///     try rows.emit(String(day.prefix(7)), value: view.integer("amount"))
    /// }
    /// ```
    ///
    /// What the closure throws is listed for the document, which then has no rows.
    ///
    /// - Parameters:
    ///   - name: The name queries use.
    ///   - version: Change it whenever `map` changes: a closure cannot be compared. The filter and
    ///     the reduce function are.
    ///   - collation: How the strings in keys are ordered, and those the filter compares.
    ///   - filter: Says which documents have rows; nil for all. The closure is not called for others.
    ///   - builtInReduce: Makes one value of many; nil for an index that is only looked up.
    ///   - map: The rows of a document.
    /// - Returns: The index.
    public static func views(
        name: String, version: String, collation: Database.IndexCollation = .unicode,
        filter: Database.IndexFilter? = nil, builtInReduce: Database.BuiltInReduce? = nil,
        map: @escaping ViewMap
    ) -> Database.Index {
        views(name, version, collation, filter, IndexReduction(builtInReduce), map)
    }

    /// An index by a closure that reads members by their types, with a reduce closure; see
    /// ``views(name:version:collation:filter:builtInReduce:map:)``.
    public static func views(
        name: String, version: String, collation: Database.IndexCollation = .unicode,
        filter: Database.IndexFilter? = nil, map: @escaping ViewMap,
        reduce: @escaping Database.Reduce
    ) -> Database.Index {
        views(name, version, collation, filter, .custom(reduce), map)
    }

    /// An index by a closure over a type of the application.
    ///
    /// ```swift
    /// struct Order: Decodable, Sendable {
    ///     let id: String
    ///     let day: String
    ///     let amount: Int
    /// }
    /// let byAmount = Database.Index.typed(
    ///     Order.self, name: "byAmount", version: "1", filter: ["type": "order"],
    ///     builtInReduce: .stats
    /// ) { order, rows in
    ///     try rows.emit(order.amount, order.day, value: order.amount)
    /// }
    /// ```
    ///
    /// Each document is decoded as ``Document/decode(_:)`` does it. One that cannot be decoded has no
    /// rows, and the error is listed for it; in a database with documents of several kinds, a filter
    /// picks those that the type is for.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - name: The name queries use.
    ///   - version: Change it whenever the type or `map` changes: neither can be compared. The filter
    ///     and the reduce function are.
    ///   - collation: How the strings in keys are ordered, and those the filter compares.
    ///   - filter: Says which documents have rows; nil for all. Others are not decoded.
    ///   - builtInReduce: Makes one value of many; nil for an index that is only looked up.
    ///   - map: The rows of a document.
    /// - Returns: The index.
    public static func typed<Value: Decodable & Sendable>(
        _ type: Value.Type, name: String, version: String,
        collation: Database.IndexCollation = .unicode, filter: Database.IndexFilter? = nil,
        builtInReduce: Database.BuiltInReduce? = nil, map: @escaping TypedMap<Value>
    ) -> Database.Index {
        typed(type, name, version, collation, filter, IndexReduction(builtInReduce), map)
    }

    /// An index by a closure over a type of the application, with a reduce closure; see
    /// ``typed(_:name:version:collation:filter:builtInReduce:map:)``.
    public static func typed<Value: Decodable & Sendable>(
        _ type: Value.Type, name: String, version: String,
        collation: Database.IndexCollation = .unicode, filter: Database.IndexFilter? = nil,
        map: @escaping TypedMap<Value>, reduce: @escaping Database.Reduce
    ) -> Database.Index {
        typed(type, name, version, collation, filter, .custom(reduce), map)
    }

    /// An index by a closure that reads members by their types, with a typed reduce function; see
    /// ``views(name:version:collation:filter:builtInReduce:map:)``.
    public static func views(
        name: String, version: String, collation: Database.IndexCollation = .unicode,
        filter: Database.IndexFilter? = nil, typedReduce: Database.TypedReduce,
        map: @escaping ViewMap
    ) -> Database.Index {
        views(name, version, collation, filter, .typed(typedReduce), map)
    }

    /// An index by a closure over a type of the application, with a typed reduce function; see
    /// ``typed(_:name:version:collation:filter:builtInReduce:map:)``.
    public static func typed<Value: Decodable & Sendable>(
        _ type: Value.Type, name: String, version: String,
        collation: Database.IndexCollation = .unicode, filter: Database.IndexFilter? = nil,
        typedReduce: Database.TypedReduce, map: @escaping TypedMap<Value>
    ) -> Database.Index {
        typed(type, name, version, collation, filter, .typed(typedReduce), map)
    }

    private static func views(
        _ name: String, _ version: String, _ collation: Database.IndexCollation,
        _ filter: Database.IndexFilter?, _ reduction: IndexReduction, _ map: @escaping ViewMap
    ) -> Database.Index {
        Database.Index(
            name: name, version: version, collation: collation, filter: filter,
            reduction: reduction,
            rows: MemberMap(name: name, filter: filter, collation: collation) { id, record, rows in
                let view = try DocumentView(id: id, row: record)
                try map(view, IndexRowEmitter(rows))
            })
    }

    private static func typed<Value: Decodable & Sendable>(
        _ type: Value.Type, _ name: String, _ version: String,
        _ collation: Database.IndexCollation, _ filter: Database.IndexFilter?,
        _ reduction: IndexReduction, _ map: @escaping TypedMap<Value>
    ) -> Database.Index {
        let leaves = DocumentCodingLeaves()
        return Database.Index(
            name: name, version: version, collation: collation, filter: filter,
            reduction: reduction,
            rows: MemberMap(name: name, filter: filter, collation: collation) { id, record, rows in
                let id = try StoredIdentifier.text(id)
                guard let start = RecordHead.members(of: record)?.start else {
                    throw StorageError.corrupted(place: "record of document '\(id)'")
                }
                let value = try PackedValue.decode(
                    type, from: record.extracting(start..<record.count),
                    adding: (Document.idMember, id), leaves: leaves)
                try map(value, IndexRowEmitter(rows))
            })
    }

    private init(
        name: String, version: String, collation: Database.IndexCollation,
        filter: Database.IndexFilter?, reduction: IndexReduction, rows: MemberMap
    ) {
        self.init(
            name: name, version: version, collation: collation, filter: filter, map: rows.map,
            reduction: reduction, indexMap: rows.indexMap)
    }
}
