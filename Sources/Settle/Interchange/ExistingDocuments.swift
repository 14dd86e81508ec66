/// What an import does with a document whose identifier is in the database already.
///
/// A document with the same revision is the same document and left as it is, whatever is chosen
/// here. A tombstone in the database counts as no document.
public enum ExistingDocuments: String, Sendable, Hashable, CaseIterable {
    /// The document in the database stays.
    case keep
    /// The document of the export takes its place, with its revision, also when that is older.
    case replace
    /// The import ends with an error.
    case fail
}
