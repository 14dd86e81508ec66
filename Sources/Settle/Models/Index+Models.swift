extension Database.Index {
    /// An index of a model by declaration: which properties make the key, and which one is the value.
    ///
    /// ```swift
    /// try await database.addIndex(
    ///     .keyPaths(
    ///         Visit.self, name: "visitsByCustomer", keys: [\.customer], value: \.minutes, reduce: .sum))
    /// ```
    ///
    /// As ``keyPaths(name:version:keys:value:filter:reduce:collation:)``; only documents of the model have rows.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - name: The name queries use.
    ///   - version: Part of the index's version; change it to have the index rebuilt.
    ///   - keys: The properties of the key. One makes its member the key, and a document without it has no
    ///     row; several make an array, with null for a member that a document lacks.
    ///   - value: The property that is the value; nil for rows without one.
    ///   - filter: Says which documents of the model have rows; nil for all.
    ///   - reduce: Makes one value of many.
    ///   - collation: How strings are ordered, in keys and in the filter.
    /// - Returns: The index.
    /// - Precondition: There is a key, and each key path leads over stored properties; see
    ///   ``DocumentModel/memberNames`` for those that are written under another name.
    public static func keyPaths<Model: DocumentModel>(
        _ type: Model.Type, name: String, version: String = "1", keys: [PartialKeyPath<Model>],
        value: PartialKeyPath<Model>? = nil, filter: ModelFilter<Model>? = nil,
        reduce: Database.BuiltInReduce? = nil, collation: Database.IndexCollation = .unicode
    ) -> Database.Index {
        keyPaths(
            name: name, version: version, keys: keys.map { ModelPath.names(of: $0) },
            value: value.map { ModelPath.names(of: $0) }, filter: ModelFilter.documents(filter),
            reduce: reduce, collation: collation)
    }

    /// An index by a closure over a model.
    ///
    /// ```swift
    /// let longest = Database.Index.models(
    ///     Visit.self, name: "longest", version: "1", filter: \.status == .done,
    ///     typedReduce: .init(Double.self) { $0.max() ?? 0 }
    /// ) { visit, rows in
    ///     try rows.emit(visit.customer, value: visit.minutes)
    /// }
    /// ```
    ///
    /// A document of the model that cannot be decoded has no rows, and the error is listed for it.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - name: The name queries use.
    ///   - version: Change it whenever the model or `map` changes: neither can be compared. The filter
    ///     and the reduce function are.
    ///   - collation: How the strings in keys are ordered, and those the filter compares.
    ///   - filter: Says which documents of the model have rows; nil for all. Others are not decoded.
    ///   - builtInReduce: Makes one value of many; nil for an index that is only looked up.
    ///   - map: The rows of a document.
    /// - Returns: The index.
    public static func models<Model: DocumentModel>(
        _ type: Model.Type, name: String, version: String,
        collation: Database.IndexCollation = .unicode, filter: ModelFilter<Model>? = nil,
        builtInReduce: Database.BuiltInReduce? = nil, map: @escaping TypedMap<Model>
    ) -> Database.Index {
        typed(
            type, name: name, version: version, collation: collation,
            filter: ModelFilter.documents(filter), builtInReduce: builtInReduce, map: map)
    }

    /// An index by a closure over a model, with a typed reduce function; see
    /// ``models(_:name:version:collation:filter:builtInReduce:map:)``.
    public static func models<Model: DocumentModel>(
        _ type: Model.Type, name: String, version: String,
        collation: Database.IndexCollation = .unicode, filter: ModelFilter<Model>? = nil,
        typedReduce: Database.TypedReduce, map: @escaping TypedMap<Model>
    ) -> Database.Index {
        typed(
            type, name: name, version: version, collation: collation,
            filter: ModelFilter.documents(filter), typedReduce: typedReduce, map: map)
    }
}
