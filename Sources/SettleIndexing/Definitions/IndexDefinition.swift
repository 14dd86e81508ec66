package import SettleDocuments
package import SettleStorage

/// A row that a map function emits for a document.
package struct EmittedRow: Sendable, Equatable {
    /// What the row is found under.
    package let key: JSONValue
    /// What it holds; nil when the map gave none, which is not the same as JSON null.
    package let value: JSONValue?

    /// A row.
    package init(key: JSONValue, value: JSONValue?) {
        self.key = key
        self.value = value
    }
}

/// Turns a live document into rows.
///
/// It must depend on the document alone.
package typealias MapFunction =
    @Sendable (_ id: String, _ record: DocumentRecord, _ emit: (EmittedRow) -> Void) throws -> Void

/// What an index is: its name, how it maps, how it reduces, how its keys are ordered.
package struct IndexDefinition: Sendable {
    /// Unique in the database.
    package let name: String
    /// Changed by the author when the map changes; the index is then built anew.
    package let version: String
    /// The rows of a document.
    package let map: MapFunction
    /// Makes one value of many; nil for an index that is only looked up.
    package let reducer: Reducer?
    /// How strings in keys are ordered.
    package let strings: Collator.Strings

    /// A definition.
    package init(
        name: String, version: String, strings: Collator.Strings = .unicode, reducer: Reducer?,
        map: @escaping MapFunction
    ) {
        self.name = name
        self.version = version
        self.strings = strings
        self.reducer = reducer
        self.map = map
    }
}
