package import SettleDocuments
import SettleLMDB

/// What can go wrong on the layer that stores documents as rows.
package enum StorageError: Error, Sendable {
    /// A document with this identifier exists and the caller asked for a new one.
    case documentExists(id: String, current: Revision)
    /// No live document has this identifier and the caller asked for an existing one.
    case documentNotFound(id: String)
    /// The caller's revision is not the current one; `current` is nil when the document is gone.
    case conflict(id: String, current: Revision?)
    /// The store was closed before the work could be done.
    case closed
    /// The file was written by a newer release; `format` is the number it carries.
    case newerFormat(format: UInt32)
    /// The file has a format that only an unreleased version wrote; `format` is its number.
    case olderFormat(format: UInt32)
    /// The file was written by another generation of the engine, which this one cannot read.
    case foreignEngine(recorded: String, running: String)
    /// Bytes of the store do not decode; `place` names the table and, where known, the row.
    case corrupted(place: String)
    /// The content of an attachment is not here, and the caller asked for it.
    case contentMissing(digest: ContentDigest)
    /// What was given as the content of an attachment is something else.
    case contentMismatch(expected: ContentDigest, found: ContentDigest)
    /// An upload was given up, or taken by a document, before this call.
    case uploadEnded
    /// The store exists but holds data that is not Settle's.
    case notASettleStore
    /// A text that has to be stored in a record is longer than its field allows.
    case originTooLong(length: Int)
    /// The engine or the file system refused; `message` says what and on which file.
    case engine(EngineProblem, message: String)

    /// What a caller can do about a refusal of the engine or the file system.
    package enum EngineProblem: Sendable, Equatable {
        /// The disk, or the largest size the file may have, is full.
        case full
        /// The file or its file system may only be read.
        case readOnly
        /// The file is not there.
        case missing
        /// The process may not open the file.
        case permission
        /// The file is damaged or belongs to another program.
        case damaged
        /// Too many readers are at work at once.
        case busy
        /// There are as many indexes and side tables as one database can have.
        case tooManyTables
        /// A key or value is larger than the engine takes.
        case tooLarge
        /// Another process has the file open.
        case inUse
        /// Anything else.
        case other
    }
}

extension StorageError {
    /// Translates an error of the engine; the word for it ends here.
    init(_ error: LMDBError) {
        self = error.code == .closed ? .closed : .engine(error.problem, message: error.description)
    }

    /// The form that an error has above this layer: those of the engine are translated, others are
    /// left as they are.
    package static func translated(_ error: any Error) -> any Error {
        (error as? LMDBError).map { StorageError($0) } ?? error
    }

    /// Runs a closure and translates what the engine throws in it.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw translated(error)
        }
    }
}

extension LMDBError {
    fileprivate var problem: StorageError.EngineProblem {
        switch code {
        case .mapFull, .diskFull: .full
        case .tablesFull: .tooManyTables
        case .readOnly: .readOnly
        case .noSuchDirectory, .notFound: .missing
        case .permission: .permission
        case .corrupted, .versionMismatch, .invalid: .damaged
        case .readersFull, .readersBusy: .busy
        case .keyTooLong, .valueTooLarge: .tooLarge
        case .inUse: .inUse
        default: .other
        }
    }
}
