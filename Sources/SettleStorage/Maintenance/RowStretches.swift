import SettleLMDB
import SettlePrimitives
import Synchronization

/// Walks the rows of a table in stretches, on as many threads as are free.
package final class RowStretches: Sendable {
    private let table: Table
    private let body: @Sendable (StoreSnapshot, RowStretch) throws -> Void
    private let onEnd: @Sendable (StoreSnapshot, CheckQueue) throws -> Void
    /// How many stretches are under way, the one that comes next included.
    private let openCount = Lock(1)

    /// Long enough that finding its end costs little beside looking at its rows.
    private static let rowCount = 2_048

    /// A walk of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - body: Looks at the rows of a stretch.
    ///   - onEnd: Called once, after the last stretch to end.
    init(
        of table: Table, _ body: @escaping @Sendable (StoreSnapshot, RowStretch) throws -> Void,
        onEnd: @escaping @Sendable (StoreSnapshot, CheckQueue) throws -> Void = { _, _ in }
    ) {
        self.table = table
        self.body = body
        self.onEnd = onEnd
    }

    /// A walk of the documents.
    ///
    /// - Parameters:
    ///   - snapshot: Any state of the store.
    ///   - body: Looks at the rows of a stretch.
    ///   - onEnd: Called once, after the last stretch to end.
    package convenience init(
        ofDocumentsIn snapshot: StoreSnapshot,
        _ body: @escaping @Sendable (StoreSnapshot, RowStretch) throws -> Void,
        onEnd: @escaping @Sendable (StoreSnapshot, CheckQueue) throws -> Void
    ) {
        self.init(of: snapshot.tables.documents, body, onEnd: onEnd)
    }

    /// The piece of a check that begins the walk.
    package var piece: CheckPiece { piece(after: nil) }

    private func piece(after start: [UInt8]?) -> CheckPiece {
        CheckPiece { [self] snapshot, queue in
            let stretch = RowStretch(
                table: table, after: start, through: try end(after: start, in: snapshot))
            if let through = stretch.through {
                openCount.withLock { $0 += 1 }
                queue.add(piece(after: through))
            }
            try body(snapshot, stretch)
            let isLast = openCount.withLock { count in
                count -= 1
                return count == 0
            }
            if isLast { try onEnd(snapshot, queue) }
        }
    }

    private func end(after start: [UInt8]?, in snapshot: StoreSnapshot) throws -> [UInt8]? {
        var count = 0
        var last: [UInt8]?
        try snapshot.reader.forEach(in: table, from: start.map { .excluding($0) } ?? .unbounded) {
            key, _ in
            count += 1
            if count == Self.rowCount { last = key.rest(from: 0) }
            return count < Self.rowCount
        }
        return last
    }
}

/// Rows of a table that follow each other.
package struct RowStretch: Sendable {
    fileprivate let table: Table
    fileprivate let after: [UInt8]?
    /// The key of the last one; nil when they go on to the end of the table.
    fileprivate let through: [UInt8]?

    /// Walks the rows in place.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what `body` throws.
    package func forEachRow(
        in snapshot: StoreSnapshot,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Void
    ) throws {
        try snapshot.reader.forEach(
            in: table, from: after.map { .excluding($0) } ?? .unbounded,
            to: through.map { .including($0) } ?? .unbounded
        ) { key, value in
            try body(key, value)
            return true
        }
    }
}
