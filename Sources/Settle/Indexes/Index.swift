import SettleDocuments
import SettleIndexing

extension Database {
    /// An index: rows that a map makes of every document, in the order of their keys.
    ///
    /// ```swift
    /// let byColour = Database.Index(
    ///     name: "byColour", version: "1",
    ///     map: { document, addIndexRow in
    ///         if document.metaData.type == "fruit" {
    ///             addIndexRow([document["colour"], document["name"]], document["price"])
    ///         }
    ///     },
    ///     reduce: { _, values, _ in
    ///         values.compactMap { ($0 as? NSNumber)?.doubleValue }.reduce(0, +)
    ///     })
    /// ```
    ///
    /// Keys are ordered as CouchDB orders them: null, false, true, numbers, strings (by the
    /// Unicode root collation), arrays (element by element), objects.
    ///
    /// There are four ways to write a map, fastest first: members by their paths (`keyPaths`), which
    /// needs no code; a closure that reads members by their types (`views`); one over a type of the
    /// application (`typed`); one over documents, as above.
    public struct Index: Indexer {
        /// The name queries use.
        public let name: String
        /// Changed when the map or reduce changes.
        public let version: String
        /// How the strings in keys are ordered.
        public let collation: IndexCollation
        /// The rows of a document.
        public let map: Map
        /// Makes one value of many; nil for an index that is only looked up.
        public let reduce: Reduce?
        /// What the index was made from; nil for one by closures.
        public let declaration: IndexDeclaration?

        /// What the layer below builds.
        let view: IndexDefinition

        /// An index by closures.
        ///
        /// - Parameters:
        ///   - name: The name queries use.
        ///   - version: Change it whenever `map` or `reduce` changes, or old rows stay as they are: a
        ///     closure cannot be compared.
        ///   - collation: How the strings in keys are ordered.
        ///   - map: The rows of a document.
        ///   - reduce: Makes one value of many.
        public init(
            name: String, version: String, collation: IndexCollation = .unicode,
            map: @escaping Map, reduce: Reduce? = nil
        ) {
            self.init(
                name: name, version: version, collation: collation, map: map,
                reduction: IndexReduction(reduce))
        }

        /// An index by a closure, with a reduce function that comes with the database.
        ///
        /// Such an index is reduced much faster than one with a reduce closure.
        ///
        /// - Parameters:
        ///   - name: The name queries use.
        ///   - version: Change it whenever `map` changes, or old rows stay as they are: a closure
        ///     cannot be compared.
        ///   - collation: How the strings in keys are ordered.
        ///   - builtInReduce: Makes one value of many.
        ///   - map: The rows of a document.
        public init(
            name: String, version: String, collation: IndexCollation = .unicode,
            builtInReduce: BuiltInReduce, map: @escaping Map
        ) {
            self.init(
                name: name, version: version, collation: collation, map: map,
                reduction: IndexReduction(builtInReduce))
        }

        /// An index by a closure, with a reduce function over values of a type.
        ///
        /// - Parameters:
        ///   - name: The name queries use.
        ///   - version: Change it whenever `map` or the reduce function changes, or old rows stay as they
        ///     are: a closure cannot be compared.
        ///   - collation: How the strings in keys are ordered.
        ///   - typedReduce: Makes one value of many.
        ///   - map: The rows of a document.
        public init(
            name: String, version: String, collation: IndexCollation = .unicode,
            typedReduce: TypedReduce, map: @escaping Map
        ) {
            self.init(
                name: name, version: version, collation: collation, map: map,
                reduction: .typed(typedReduce))
        }

        private init(
            name: String, version: String, collation: IndexCollation, map: @escaping Map,
            reduction: IndexReduction
        ) {
            self.init(
                name: name, version: version, collation: collation, map: map,
                reduction: reduction, indexMap: DocumentMap(name: name, map: map).indexMap)
        }

        /// An index whose rows are made by `indexMap`; `map` makes the same of a document.
        init(
            name: String, version: String, collation: IndexCollation, filter: IndexFilter? = nil,
            map: @escaping Map, reduction: IndexReduction, indexMap: @escaping IndexMap
        ) {
            self.name = name
            self.version = version
            self.collation = collation
            self.map = map
            reduce = reduction.closure
            declaration = nil
            view = IndexDefinition(
                name: name, version: reduction.identity(version: version, filter: filter),
                collation: collation.strings, reducer: reduction.reducer, map: indexMap)
        }

        /// An index by declaration.
        init(declared declaration: IndexDeclaration) {
            name = declaration.name
            version = declaration.version
            collation = declaration.collation
            map = { document, addIndexRow in
                let body = try document.packed()
                let row = try declaration.declaration.row(of: body, id: document.id)
                if let row { addIndexRow(row.key, row.value) }
            }
            reduce = declaration.reduce?.closure
            self.declaration = declaration
            view = declaration.view
        }
    }
}

extension IndexDefinition {
    /// The definition that an indexer stands for.
    init(_ indexer: any Indexer) {
        if let index = indexer as? Database.Index {
            self = index.view
        } else {
            self =
                Database.Index(
                    name: indexer.name, version: indexer.version, collation: indexer.collation,
                    map: indexer.map, reduce: indexer.reduce
                ).view
        }
    }
}
