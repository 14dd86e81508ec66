package import Foundation
package import Settle

/// The remote of a replication by sequences and revisions, without a word about how it is reached.
///
/// Unlike a ``Backend`` it has no push queue and no bases: both sides name every version, and say which
/// ones they lack. It keeps no state that matters; how far a replication came is kept in logs, one copy
/// here and one at the remote. Methods are called from several tasks at once.
///
/// Methods throw ``ReplicationError`` with the codes that its documentation gives to back-ends; what is
/// said of single documents is in what they return.
package protocol RevisionBackend: Sendable {
    /// What the remote is called in the database: its address without credentials, at most 255 bytes.
    ///
    /// Revisions that came from it carry it as their origin.
    var identifier: String { get }

    /// Which of the remote's documents are fetched, beside the channels: a text without secrets; empty for all.
    ///
    /// How far a pull came is kept apart for each.
    var selection: String { get }

    /// Whether design documents are fetched and sent as others are.
    var hasDesignDocuments: Bool { get }

    /// Finds out whether the remote is there, and makes it where that is wanted.
    ///
    /// - Returns: What changes when the remote is made anew, or starts anew without all that it answered.
    func begin() async throws(ReplicationError) -> String

    /// The log that the remote keeps under a name; nil when it has none.
    func log(_ name: String) async throws(ReplicationError) -> JSONValue?

    /// Has the remote keep a log.
    func setLog(_ log: JSONValue, _ name: String) async throws(ReplicationError)

    /// Has the remote store durably what it answered to have stored.
    ///
    /// - Returns: As ``begin()``.
    func commit() async throws(ReplicationError) -> String

    /// The changes after a sequence, oldest first, with all leaves.
    ///
    /// - Parameters:
    ///   - query: Which documents.
    ///   - sequence: Where the page before ended, in the remote's own words; nil for the beginning.
    ///   - limit: The most changes to return, 1 or more.
    /// - Returns: The changes, and where they end.
    /// - Throws: As all methods.
    func changes(
        _ query: RevisionQuery, after sequence: JSONValue?, limit: Int
    ) async throws(ReplicationError) -> RevisionFeed

    /// Waits for a change after a sequence, for as long as the remote cares to.
    ///
    /// - Returns: Whether there was one.
    func awaitChange(
        _ query: RevisionQuery, after sequence: JSONValue?
    ) async throws(ReplicationError) -> Bool

    /// Which of some revisions the remote lacks, by document; those of which it lacks none are left out.
    func missing(
        _ revisions: [String: [String]]
    ) async throws(ReplicationError) -> [String: MissingRevisions]

    /// Fetches revisions, each with what came before it, or newer ones in their place.
    ///
    /// - Returns: What was found; a revision that is not there any more is left out.
    func fetch(
        _ wanted: [WantedRevisions]
    ) async throws(ReplicationError) -> [FetchedRevision]

    /// Fetches all leaves of a document, each with what came before it; none when there is no such document.
    func leaves(of id: String) async throws(ReplicationError) -> [FetchedRevision]

    /// The contents of several attachments of a revision, as far as the remote gives them together.
    ///
    /// - Parameters:
    ///   - attachments: Those that are wanted.
    ///   - revision: The revision.
    ///   - known: Leaves of the document whose contents are here, which need not come.
    /// - Returns: Contents by name, in memory; those that are long or do not come are left out, and are fetched one by one.
    /// - Throws: As all methods.
    func contents(
        of attachments: [FetchedAttachment], _ revision: ReceivedRevision, having known: [String]
    ) async throws(ReplicationError) -> [String: Data]

    /// The content of an attachment that was fetched without it.
    ///
    /// - Returns: The content in pieces, which may throw a ``ReplicationError``; nil when the remote has no such
    ///   attachment any more.
    func content(
        of attachment: FetchedAttachment, _ revision: ReceivedRevision
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>?

    /// Brings revisions to the remote.
    ///
    /// - Returns: Those that it refuses; all others are there.
    func store(
        _ revisions: [SentRevision]
    ) async throws(ReplicationError) -> [RefusedRevision]
}

/// Which documents of a remote are asked for.
package struct RevisionQuery: Sendable, Hashable {
    /// Only those in one of these channels; empty for all.
    package var channels: Set<String>

    /// A query.
    package init(channels: Set<String> = []) {
        self.channels = channels
    }
}

/// Changes of a remote.
package struct RevisionFeed: Sendable, Hashable {
    /// One document that changed.
    package struct Change: Sendable, Hashable {
        package var id: String
        /// Its leaves.
        package var revisions: [String]
        /// Whether the leaf that wins is a deletion.
        package var isDeleted: Bool

        package init(id: String, revisions: [String], isDeleted: Bool = false) {
            self.id = id
            self.revisions = revisions
            self.isDeleted = isDeleted
        }
    }

    package var changes: [Change]
    /// Where the next page begins.
    package var last: JSONValue
    /// How many changes are to come; nil when the remote does not say.
    package var pendingCount: Int?

    package init(changes: [Change], last: JSONValue, pendingCount: Int? = nil) {
        self.changes = changes
        self.last = last
        self.pendingCount = pendingCount
    }
}

/// Revisions of a document that a remote lacks.
package struct MissingRevisions: Sendable, Hashable {
    package var revisions: Set<String>
    /// The leaves that it has and that may come before them.
    package var ancestors: [String]

    package init(revisions: Set<String>, ancestors: [String] = []) {
        self.revisions = revisions
        self.ancestors = ancestors
    }
}

/// Revisions of a document that are lacking here.
package struct WantedRevisions: Sendable, Hashable {
    package var id: String
    package var revisions: [String]

    package init(id: String, revisions: [String]) {
        self.id = id
        self.revisions = revisions
    }
}

/// What came of a revision that was asked for.
package enum FetchedRevision: Sendable {
    case revision(ReceivedRevision)
    /// One that cannot be a document here, or that the remote does not give.
    case fault(id: String, ItemFault)
}

/// A revision as a remote has it.
package struct ReceivedRevision: Sendable {
    package var id: String
    /// The revision and those before it, newest first.
    package var path: [String]
    package var isDeleted: Bool
    /// The members of its own.
    package var members: PackedValue
    package var attachments: [FetchedAttachment]

    package init(
        id: String, path: [String], isDeleted: Bool = false, members: PackedValue,
        attachments: [FetchedAttachment] = []
    ) {
        self.id = id
        self.path = path
        self.isDeleted = isDeleted
        self.members = members
        self.attachments = attachments
    }
}

/// An attachment as a remote describes it.
package struct FetchedAttachment: Sendable, Hashable {
    package var name: String
    package var contentType: String
    /// How long the content is; nil when that is not said.
    package var length: Int?
    /// What the remote calls the content, equal for equal content; nil when that is not said.
    package var digest: String?
    /// The content; nil when it did not come along.
    package var data: Data?

    package init(
        name: String, contentType: String, length: Int? = nil, digest: String? = nil,
        data: Data? = nil
    ) {
        self.name = name
        self.contentType = contentType
        self.length = length
        self.digest = digest
        self.data = data
    }
}

/// A revision that goes to a remote.
package struct SentRevision: Sendable {
    package var document: Document
    /// The revision and those before it, newest first.
    package var path: [String]
    package var isDeleted: Bool
    /// The names of the attachments that the remote should have with the revision before, so that they need not go again.
    package var knownAttachments: Set<String> = []

    package init(document: Document, path: [String], isDeleted: Bool) {
        self.document = document
        self.path = path
        self.isDeleted = isDeleted
    }
}

/// A revision that a remote does not take.
package struct RefusedRevision: Sendable, Hashable {
    package var id: String
    /// Why.
    package var rejection: RemoteRejection

    package init(id: String, _ rejection: RemoteRejection) {
        self.id = id
        self.rejection = rejection
    }

    package init(id: String, reason: String) {
        self.init(id: id, RemoteRejection(reason: reason))
    }
}
