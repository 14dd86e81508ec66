import Settle

/// What of a document is wanted beside its members.
struct CouchDocumentOptions: Sendable {
    var revisions = false
    var revisionsInformation = false
    var conflicts = false
    var deletedConflicts = false
    var attachments = false
    var localSequence = false
    /// Leaves after the one asked for, in its place.
    var latest = false
    /// Revisions that the reader has: attachments that came with them, or before, are wanted as stubs.
    var attachmentsSince: [String]?
    /// Contents come in parts of their own, behind the document.
    var follows = false

    /// Whether the text is always the same for a revision; if not, it has no `ETag`.
    var isOfRevision: Bool {
        !(revisions || revisionsInformation || conflicts || deletedConflicts || localSequence)
    }

    init() {}

    /// - Throws: ``CouchError`` for a parameter that is neither true nor false.
    init(_ request: CouchRequest) throws(CouchError) {
        let meta = try request.flag("meta")
        revisions = try request.flag("revs")
        revisionsInformation = try request.flag("revs_info") || meta
        conflicts = try request.flag("conflicts") || meta
        deletedConflicts = try request.flag("deleted_conflicts") || meta
        attachments = try request.flag("attachments")
        localSequence = try request.flag("local_seq")
        latest = try request.flag("latest")
        if let list = try request.json("atts_since") {
            attachmentsSince = list.arrayValue?.compactMap(\.stringValue) ?? []
            // Who says what they have wants the rest.
            attachments = true
        }
    }

    /// Whether an attachment is wanted with its content.
    ///
    /// - Parameters:
    ///   - generation: When it came to the document.
    ///   - leaf: The revision that has it.
    ///   - tree: The revisions of the document.
    /// - Returns: False for a stub.
    func wantsContent(
        since generation: Int, _ leaf: RevisionName, _ tree: RevisionTree
    ) -> Bool {
        guard let attachmentsSince else { return attachments }
        // In a list of documents, each may say what it has; that contents are wanted at all is said for all.
        guard attachments || follows else { return false }
        let path = Set(tree.path(to: leaf)?.names ?? [leaf])
        let known = attachmentsSince.compactMap { RevisionName($0) }.filter(path.contains)
        return known.map(\.generation).max().map { generation > Int($0) } ?? true
    }
}
