package import SettleDocuments
import SettleLMDB

extension StoreSnapshot {
    /// How many documents have a date at which they are purged.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package var expirationCount: Int {
        get throws { try reader.count(of: tables.expirations.table) }
    }

    /// The earliest date at which a document is to be purged; nil when none is.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package var nextExpiration: Timestamp? {
        get throws {
            var next: Timestamp?
            try tables.expirations.forEach(in: reader) { date, _ in
                next = date
                return false
            }
            return next
        }
    }

    /// The documents whose date has come, the earliest first.
    ///
    /// - Parameters:
    ///   - moment: What counts as now; a document with this very date is due.
    ///   - countMax: The most to return.
    /// - Returns: Their identifiers.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func expired(at moment: Timestamp, countMax: Int) throws -> [String] {
        var ids: [String] = []
        try tables.expirations.forEach(in: reader) { date, id in
            guard date <= moment, ids.count < countMax else { return false }
            ids.append(id)
            return true
        }
        return ids
    }
}
