import SettleDocuments
import SettleIndexing
import SettleStorage

extension DatabaseError {
    /// Runs a closure and turns the errors of the layers below into this one.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw translated(error)
        }
    }

    /// Runs an asynchronous closure and turns the errors of the layers below into this one.
    static func translating<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw translated(error)
        }
    }

    /// The public form of an error from below; the errors of others are left as they are.
    static func translated(_ error: any Error) -> any Error {
        switch StorageError.translated(error) {
        case let error as StorageError: DatabaseError(error)
        case let error as IndexError: DatabaseError(error)
        case let error as PackedError: DatabaseError(error, documentId: nil)
        default: error
        }
    }

    init(_ error: StorageError) {
        switch error {
        case .documentExists(let id, let current):
            self.init(
                .documentExists,
                "A document with the identifier '\(id)' exists; use update or save to change it.",
                documentId: id, currentRevision: current.description, cause: error)
        case .documentNotFound(let id):
            self.init(
                .documentNotFound,
                "There is no document with the identifier '\(id)'; use add or save to make it.",
                documentId: id, cause: error)
        case .conflict(let id, let current):
            let state = current.map { "is at revision \($0) now" } ?? "has been deleted"
            self.init(
                .conflict,
                "The document '\(id)' was changed since it was read and \(state); "
                    + "fetch it, apply the change again, and save that.",
                documentId: id, currentRevision: current?.description, cause: error)
        case .closed:
            self.init(.databaseClosed, "The database is closed; open it again.", cause: error)
        case .newerFormat(let format):
            self.init(
                .newerFormat,
                "The database has format \(format), which a newer release of Settle wrote; "
                    + "open it with that release.", cause: error)
        case .olderFormat(let format):
            self.init(
                .olderFormat,
                "The database has format \(format), which only unreleased versions of Settle "
                    + "wrote, and which cannot be read any more; copy its documents with that version.",
                cause: error)
        case .contentMissing(let digest):
            self.init(
                .attachmentNotAvailable,
                "The content \(digest) is not in the database. It was never provided, or no "
                    + "document attaches it any more.", cause: error)
        case .contentMismatch(let expected, let found):
            self.init(
                .invalidAttachment,
                "The content given has the digest \(found), and the attachment needs "
                    + "\(expected). Nothing was stored.", cause: error)
        case .uploadEnded:
            self.init(
                .attachmentNotAvailable,
                "The content was given up before all of it was stored; store it again.",
                cause: error)
        case .foreignEngine(let recorded, let running):
            self.init(
                .foreignEngine,
                "The database was written with \(recorded) and this process runs \(running), "
                    + "which cannot read it; export it there and import it here.", cause: error)
        case .corrupted(let place):
            self.init(
                .corrupted,
                "The database is damaged (\(place)); restore it from a backup.", cause: error)
        case .notASettleStore:
            self.init(
                .notASettleDatabase, "The file holds data that is not Settle's.", cause: error)
        case .originTooLong(let length):
            self.init(
                .invalidDocument,
                "The name of a replication has at most \(DocumentRecord.originLengthMax) bytes, "
                    + "not \(length).", cause: error)
        case .engine(let problem, let message):
            self.init(Code(problem), message, cause: error)
        }
    }

    init(_ error: IndexError) {
        switch error {
        case .superseded(let name):
            self.init(
                .indexChanged, "The index '\(name)' was changed by another process meanwhile.",
                cause: error)
        case .replaced(let name):
            self.init(
                .indexChanged,
                "The index '\(name)' was replaced or removed while it was being built.",
                cause: error)
        case .corrupted(let place):
            self.init(
                .corrupted,
                "The database is damaged (\(place)); remove the index and add it again.",
                cause: error)
        case .reduceFailed(let reason):
            self.init(.indexFailed, "Reducing failed: \(reason).", cause: error)
        case .mapFailed(let name, let id, let reason):
            self.init(
                .indexFailed,
                "The map function of the index '\(name)' emitted \(reason) for the document "
                    + "'\(id)'. Mend the function, or the document.", documentId: id, cause: error)
        case .tooManyRows(let id, let countMax):
            self.init(
                .indexFailed,
                "The map function emitted more than \(countMax) rows for the document '\(id)'.",
                documentId: id, cause: error)
        }
    }

    package init(_ error: PackedError, documentId: String?) {
        self.init(
            Code(error),
            documentId.map { "The document '\($0)' cannot be used. \(error)" } ?? "\(error)",
            documentId: documentId, cause: error)
    }
}

extension DatabaseError.Code {
    fileprivate init(_ problem: StorageError.EngineProblem) {
        self =
            switch problem {
            case .full: .diskFull
            case .readOnly: .readOnly
            case .missing: .invalidFileLocation
            case .permission: .permissionDenied
            case .damaged: .corrupted
            case .tooManyTables: .tooManyTables
            case .tooLarge: .documentTooLarge
            case .inUse: .databaseInUse
            case .busy, .other: .inputOutput
            }
    }

    init(_ error: PackedError) {
        self =
            switch error.reason {
            case .notFinite, .duplicateName: .invalidDocument
            case .tooDeep, .tooLarge: .documentTooLarge
            default: .corrupted
            }
    }
}
