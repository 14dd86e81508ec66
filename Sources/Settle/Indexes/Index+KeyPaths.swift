extension Database.Index {
    /// An index by declaration: which members make the key, and which one is the value.
    ///
    /// The declaration is part of what is compared, so a changed one is rebuilt without a new
    /// version. The database keeps it and knows the index again when it is opened.
    ///
    /// - Parameters:
    ///   - name: The name queries use.
    ///   - version: Part of the index's version; change it to have the index rebuilt.
    ///   - keys: The members of the key, each as a path of names from the top of the document.
    ///     One path makes that member the key, and a document without it has no row. Several make
    ///     an array, with null for a member that a document lacks; a document that lacks all of
    ///     them has no row. `id` is the identifier. At least one path.
    ///   - value: The member that is the value; nil for rows without one. With a reduce function
    ///     that works on values, a member that is null counts as absent, and is passed over.
    ///   - filter: Says which documents have rows; nil for all.
    ///   - reduce: Makes one value of many.
    ///   - collation: How strings are ordered, in keys and in the filter.
    /// - Returns: The index.
    public static func keyPaths(
        name: String, version: String = "1", keys: [[String]], value: [String]? = nil,
        filter: Database.IndexFilter? = nil, reduce: Database.BuiltInReduce? = nil,
        collation: Database.IndexCollation = .unicode
    ) -> Database.Index {
        Database.IndexDeclaration(
            name: name, version: version, keys: keys, value: value, filter: filter,
            reduce: reduce, collation: collation
        ).index
    }
}
