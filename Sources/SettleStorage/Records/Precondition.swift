package import SettleDocuments

/// What must be true of a document for a write to go ahead.
package enum Precondition: Sendable, Equatable {
    /// Nothing.
    case none
    /// There is no live document.
    case absent
    /// There is a live document.
    case present
    /// There is a live document and this is its revision.
    case revision(Revision)

    /// Compares with what is stored; a tombstone counts as no document.
    ///
    /// - Throws: ``StorageError/documentExists(id:current:)`` for `absent`,
    ///   ``StorageError/documentNotFound(id:)`` for `present`, ``StorageError/conflict(id:current:)``
    ///   for `revision`.
    func check(_ id: String, against record: DocumentRecord?) throws(StorageError) {
        let live = record.flatMap { $0.isDeleted ? nil : $0.revision }
        switch self {
        case .none:
            return
        case .absent:
            if let live { throw .documentExists(id: id, current: live) }
        case .present:
            if live == nil { throw .documentNotFound(id: id) }
        case .revision(let expected):
            if live != expected { throw .conflict(id: id, current: live) }
        }
    }
}
