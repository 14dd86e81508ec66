import SettleDocuments
import SettleStorage

extension Snapshot {
    /// Hands a document to a closure in place; the fast way to read some members of it.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - body: Reads the view, which is good during the call.
    /// - Returns: What `body` returns; nil when there is no such document.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    /// - Complexity: O(log n) page reads; nothing is copied or checked but what `body` touches.
    public func withDocument<Value>(
        _ id: String, _ body: (borrowing DocumentView) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try readDocument(id) { value = try body($0) }
        return value
    }

    /// Hands a document to a closure in place, if there is such a document.
    ///
    /// As ``withDocument(_:_:)``; no optional of another module's type is made for each document.
    package func readDocument(
        _ id: String, _ body: (borrowing DocumentView) throws -> Void
    ) throws {
        let key = Array(id.utf8)
        do {
            // The bytes of rows move in a transaction, which therefore hands out a copy.
            guard !base.isWriting else {
                try base.withRow(of: key) { row in
                    let view = try DocumentView(id: key.span, row: row)
                    if !view.isDeleted { try body(view) }
                }
                return
            }
            let snapshot = base
            guard let row = try snapshot.row(of: key) else { return }
            let view = try DocumentView(id: key.span, row: row)
            if !view.isDeleted { try body(view) }
        } catch {
            throw DatabaseError.translated(error)
        }
    }

    /// Walks the documents, in the byte order of their identifiers, in place.
    ///
    /// - Parameters:
    ///   - id: Where to start; this document is not included. Nil for the first.
    ///   - body: Called with a view of each, good during the call; answers false to stop.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    public func forEachView(
        after id: String? = nil, _ body: (borrowing DocumentView) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try base.forEachRow(after: id) { key, row in
                let view = try DocumentView(id: key, row: row)
                return view.isDeleted ? true : try body(view)
            }
        }
    }

    /// Walks the documents of a range of identifiers in place, in their byte order or backwards.
    ///
    /// - Parameters:
    ///   - lower: The lowest identifier that counts; nil for the first.
    ///   - upper: The highest; nil for the last.
    ///   - isDescending: True to begin at the highest.
    ///   - body: As in ``forEachView(after:_:)``.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    /// - Complexity: O(log n + k) page reads for k documents and tombstones that are walked.
    package func forEachView(
        from lower: String?, to upper: String?, isDescending: Bool = false,
        _ body: (borrowing DocumentView) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try base.forEachRow(from: lower, to: upper, isDescending: isDescending) { key, row in
                let view = try DocumentView(id: key, row: row)
                return view.isDeleted ? true : try body(view)
            }
        }
    }
}
