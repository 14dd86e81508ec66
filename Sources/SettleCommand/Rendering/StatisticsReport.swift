import Foundation
import Settle
import SettleInspector

/// The statistics of a database, for people or as JSON.
struct StatisticsReport {
    private let statistics: DatabaseStatistics
    private let sizes: TableSizes

    /// A report of these numbers.
    init(_ statistics: DatabaseStatistics, indexes: [IndexStatus]) {
        self.statistics = statistics
        sizes = TableSizes(statistics.tables, indexes: indexes)
    }

    /// The numbers, then the tables, then the indexes and the readers of this process if there are
    /// any.
    func lines(on screen: Screen = .plain) -> [String] {
        numbers + [""] + tables(on: screen)
            + (sizes.indexes.isEmpty ? [] : [""] + indexes(on: screen))
            + (statistics.readers.isEmpty ? [] : [""] + readers(on: screen))
    }

    private var numbers: [String] {
        let file = statistics.fileSizeBytes
        let free = statistics.pagesFree * statistics.pageSizeBytes
        var rows: [(String, String)] = [
            ("documents", Quantity.number(statistics.documentCount)),
            ("tombstones", Quantity.number(statistics.tombstoneCount)),
            ("last sequence", Quantity.number(statistics.lastSequence)),
            ("contents of attachments", Quantity.number(statistics.attachmentContentCount)),
        ]
        if statistics.waitingContentCount > 0 {
            rows.append(
                ("contents not taken yet", Quantity.number(statistics.waitingContentCount)))
        }
        if statistics.conflictedDocumentCount > 0 {
            rows.append(
                ("documents in conflict", Quantity.number(statistics.conflictedDocumentCount)))
        }
        rows.append(("expiring documents", Quantity.number(statistics.expiringDocumentCount)))
        if let next = statistics.nextExpirationDate {
            rows.append(("next expiration", Self.text(of: next)))
        }
        rows += [
            (
                "file",
                "\(Quantity.bytes(file)), \(Quantity.number(statistics.pagesUsed)) pages"
            ),
            (
                "free in it",
                "\(Quantity.bytes(free)), \(Quantity.number(statistics.pagesFree)) pages"
            ),
            ("reader slots in use", Quantity.number(statistics.readerCount)),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            name + String(repeating: " ", count: width - name.count + 2) + value
        }
    }

    private func tables(on screen: Screen) -> [String] {
        var table = TextTable([.name("table"), .right("rows"), .right("size")])
        for found in sizes.tables {
            table.add([
                found.name, Quantity.number(found.rowCount), Quantity.bytes(found.sizeBytes),
            ])
        }
        return table.lines(on: screen)
    }

    private func indexes(on screen: Screen) -> [String] {
        var table = TextTable([.name("index"), .right("rows"), .right("size")])
        for index in sizes.indexes {
            table.add([
                index.name, Quantity.number(index.rowCount), Quantity.bytes(index.sizeBytes),
            ])
        }
        return table.lines(on: screen)
    }

    private func readers(on screen: Screen) -> [String] {
        var table = TextTable([.name("reader"), .right("age"), .left("")])
        for reader in statistics.readers {
            table.add([reader.name, Quantity.time(reader.age), reader.isLong ? "long" : ""])
        }
        return table.lines(on: screen)
    }

    /// Everything as a JSON object.
    var json: String {
        var members: [String: JSONValue] = [
            "documents": .integer(Int64(statistics.documentCount)),
            "tombstones": .integer(Int64(statistics.tombstoneCount)),
            "lastSequence": .integer(Int64(clamping: statistics.lastSequence)),
            "contents": .integer(Int64(statistics.attachmentContentCount)),
            "waitingContents": .integer(Int64(statistics.waitingContentCount)),
            "conflictedDocuments": .integer(Int64(statistics.conflictedDocumentCount)),
            "expiringDocuments": .integer(Int64(statistics.expiringDocumentCount)),
            "fileBytes": .integer(Int64(statistics.fileSizeBytes)),
            "pageBytes": .integer(Int64(statistics.pageSizeBytes)),
            "pages": .integer(Int64(statistics.pagesUsed)),
            "freePages": .integer(Int64(statistics.pagesFree)),
            "readerCount": .integer(Int64(statistics.readerCount)),
        ]
        members["nextExpiration"] =
            statistics.nextExpirationDate.map { .string(Self.text(of: $0)) } ?? .null
        members["tables"] = .array(
            sizes.tables.map { Self.json($0.name, rows: $0.rowCount, bytes: $0.sizeBytes) })
        members["indexes"] = .array(
            sizes.indexes.map { Self.json($0.name, rows: $0.rowCount, bytes: $0.sizeBytes) })
        members["readers"] = .array(
            statistics.readers.map { reader in
                [
                    "name": .string(reader.name), "seconds": .double(reader.age / .seconds(1)),
                    "isLong": .bool(reader.isLong),
                ]
            })
        return JSONRendering.compact(.object(members))
    }

    private static func json(_ name: String, rows: Int, bytes: Int) -> JSONValue {
        [
            "name": .string(name), "rows": .integer(Int64(rows)),
            "bytes": .integer(Int64(bytes)),
        ]
    }

    private static func text(of date: Date) -> String {
        ISO8601DocumentDateFormatter().string(from: date)
    }
}
