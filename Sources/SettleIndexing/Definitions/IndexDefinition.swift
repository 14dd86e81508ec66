package import SettleDocuments

/// What an index is: its name, how it maps, how it reduces, how its keys are ordered.
package struct IndexDefinition: Sendable {
    /// Unique in the database.
    package let name: String
    /// Two definitions of one name that differ in this text have different rows.
    ///
    /// The version that the author gave and, for a declared index, the declaration as canonical JSON.
    package let version: String
    /// How strings in keys are ordered.
    package let collation: Collator.Strings
    /// Makes one value of many; nil for an index that is only looked up.
    package let reducer: IndexReducer?
    /// The rows of a document.
    package let map: IndexMap
    /// What the map was made from; nil for closures.
    package let declaration: IndexDeclaration?
    /// Whether the map runs code of the application, which may end the process.
    package let mayTrap: Bool

    /// The version of the collator by which the keys of its rows are ordered.
    let collationVersion: String
    /// What need not be worked out again for each query.
    let memory: QueryMemory

    /// An index whose map is a closure of the application.
    package init(
        name: String, version: String, collation: Collator.Strings, reducer: IndexReducer?,
        map: @escaping IndexMap
    ) {
        self.name = name
        self.version = version
        self.collation = collation
        self.reducer = reducer
        self.map = map
        declaration = nil
        mayTrap = true
        collationVersion = Collator(collation).version
        memory = QueryMemory(collation)
    }

    /// An index by declaration.
    package init(name: String, version: String, declaration: IndexDeclaration) {
        self.name = name
        self.version = declaration.identity(version: version)
        collation = declaration.collation
        reducer = declaration.reduce.map { .builtIn($0) }
        map = declaration.makeMap()
        self.declaration = declaration
        mayTrap = false
        collationVersion = Collator(collation).version
        memory = QueryMemory(collation)
    }
}
