import Settle

/// What a request of CouchDB's protocol is refused with, in its words.
struct CouchError: Error, Sendable, Equatable {
    /// The status.
    let status: Int
    /// The name of the error, which clients branch on.
    let error: String
    /// A sentence, which clients branch on, too.
    let reason: String

    init(_ status: Int, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    static let missing = CouchError(404, "not_found", "missing")
    static let deleted = CouchError(404, "not_found", "deleted")
    static let noDatabase = CouchError(404, "not_found", "Database does not exist.")
    static let conflict = CouchError(409, "conflict", "Document update conflict.")
    static let invalidRevision = CouchError(400, "bad_request", "Invalid rev format")
    static let invalidJSON = CouchError(400, "bad_request", "invalid UTF-8 JSON")
    static let tooLarge = CouchError(413, "too_large", "the request entity is too large")
    static let noAttachment = CouchError(404, "not_found", "Document is missing attachment")
    static let noScripts = CouchError(
        501, "not_implemented",
        "This is a function in a design document, and functions are not run here; declare an index, whose name is "
            + "that of a view."
    )

    /// A script whose identifier of a document is empty by accident must not cost a database.
    static let noDocumentToDelete = badRequest(
        "You tried to DELETE a database with a ?=rev parameter. Did you mean to DELETE a document instead?"
    )
    static let withoutRevision = badRequest(
        "When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
    static let unsatisfiableRange = CouchError(
        416, "requested_range_not_satisfiable", "Requested range not satisfiable")
    static let noReplicator = CouchError(
        501, "not_implemented",
        "This server starts no replications by itself: whoever runs it has to allow hosts for that. Let a "
            + "replicator read from it and write to it, or replicate from the app."
    )

    static func badRequest(_ reason: String) -> CouchError {
        CouchError(400, "bad_request", reason)
    }

    static func queryParse(_ reason: String) -> CouchError {
        CouchError(400, "query_parse_error", reason)
    }

    static func illegalId(_ reason: String) -> CouchError {
        CouchError(400, "illegal_docid", reason)
    }

    static func notAllowed(_ methods: String) -> CouchError {
        CouchError(405, "method_not_allowed", "Only \(methods) allowed")
    }

    /// The error that something thrown is answered with.
    init(_ error: any Error) {
        switch error {
        case let error as CouchError: self = error
        case let error as DatabaseError:
            switch error.code {
            case .conflict, .documentExists: self = .conflict
            case .documentNotFound: self = .missing
            case .invalidDocumentId: self = .illegalId(error.message)
            case .documentTooLarge: self = CouchError(413, "document_too_large", error.message)
            case .invalidDocument, .invalidAttachment:
                self = CouchError(400, "doc_validation", error.message)
            case .databaseClosed: self = .noDatabase
            default: self = CouchError(500, "internal_server_error", "\(error.code)")
            }
        case let failure as CouchReplicationFailure:
            self =
                switch failure.kind {
                case .unauthorized: CouchError(401, "unauthorized", failure.reason)
                case .notFound: CouchError(404, "db_not_found", failure.reason)
                case .other: CouchError(500, "replication_failed", failure.reason)
                }
        default: self = CouchError(500, "internal_server_error", "The request failed.")
        }
    }

    var json: JSONValue { ["error": .string(error), "reason": .string(reason)] }
}
