import SettleDocuments

/// The first line of an export.
struct ExportHeader: Equatable {
    /// The format of an export without revision trees, which releases before them read, too.
    static let plainFormat: Int64 = 1
    /// The format of one with leaves that lost, revisions that were given, or more ancestors than a record has.
    static let treeFormat: Int64 = 2
    /// The member that tells an export from other JSON.
    static let formatMember = "settleExport"

    /// How contents come along.
    enum Contents: String {
        case inline, files, described
    }

    let documentCount: Int
    let tombstoneCount: Int
    let lastSequence: UInt64
    let contents: Contents
    /// The folder of the content files, when it lies beside the export.
    let folder: String?
    /// The format that the lines have.
    var format = plainFormat
    /// How many leaves there are that lost.
    var leafCount = 0

    var lineCount: Int { documentCount + tombstoneCount }
}

/// The last line of an export: what was written before it.
struct ExportEnd: Equatable {
    var documentCount = 0
    var tombstoneCount = 0
    /// Leaves that lost.
    var leafCount = 0
    /// Contents that stand in the export, repeated ones counted again.
    var contentCount = 0
}

/// A piece of content in an export.
struct ExportChunk: Equatable {
    /// The digest of the whole content.
    let digest: ContentDigest
    /// Where in the content the piece begins.
    let offset: Int
    /// True when the content ends with it.
    let isLast: Bool
    let bytes: [UInt8]
}
