/// What the paths of a declaration, and of its filter, call the identifier of documents.
package enum IdentifierName: String, Sendable, CaseIterable {
    /// `id`, as the JSON of documents does; a member of that name cannot be reached.
    case own = "id"
    /// `_id`, as CouchDB does; `id` is a member as any other.
    case couchDB = "_id"
}
