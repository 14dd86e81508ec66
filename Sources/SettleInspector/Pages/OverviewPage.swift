import Foundation
import Settle

/// How a database is: counts, the file, readers, the last commits, and what deserves attention.
enum OverviewPage {
    /// How many tables the list of sizes has.
    private static let tableCountMax = 200
    /// How many tables are drawn each by itself.
    private static let drawnMax = 40
    /// How many warnings it has.
    private static let warningMax = 10

    static func content(_ request: PageRequest) throws -> PageContent {
        let database = request.database
        let statistics = try database.statistics()
        let now = Date()
        request.growth.note(statistics.fileSizeBytes, of: database.name, at: now)
        let warnings = try warnings(request, statistics)
        var blocks = warnings.prefix(warningMax).map { Block.warning($0.text, link: $0.link) }
        if warnings.count > warningMax {
            let more = Amounts.count(warnings.count - warningMax, "more warning")
            blocks.append(
                .warning(
                    "There \(warnings.count == warningMax + 1 ? "is" : "are") \(more). The list of indexes has the state of each.",
                    link: PageLink(text: "Indexes", address: request.address("indexes"))))
        }
        blocks.append(.facts(facts(request, statistics)))
        blocks += [.heading("The file")] + (try file(statistics, request))
        let samples = request.growth.samples(of: database.name)
        let chart = LineChart.drawing(
            samples.map {
                LineChart.Point(
                    place: $0.time.timeIntervalSince1970, value: Double($0.fileBytes))
            }, title: "Size of the file since somebody looked",
            first: samples.first.map { Amounts.shortDate($0.time) } ?? "",
            last: samples.last.map { Amounts.shortDate($0.time) } ?? "",
            shown: { Amounts.bytes(Int($0)) })
        if let chart {
            blocks.append(
                .drawing(chart, caption: "Growth of the file while this page is looked at"))
        }
        blocks += [.heading("Readers"), .table(readers(statistics))]
        blocks += [
            .heading("Commits"),
            .live(
                LiveList(
                    events: request.address("events", ["since": "\(statistics.lastSequence)"]),
                    label: "Changes since this page was opened",
                    documents: request.address("document", ["id": ""]))),
        ]
        return PageContent(title: "Overview", blocks: blocks)
    }

    private static func facts(
        _ request: PageRequest, _ statistics: DatabaseStatistics
    ) -> [Fact] {
        var facts = [
            Fact(
                label: "Documents", value: Amounts.count(statistics.documentCount),
                link: request.address("documents"), figure: "documents"),
            Fact(
                label: "Deletions", value: Amounts.count(statistics.tombstoneCount),
                figure: "deletions"),
            Fact(
                label: "Last sequence", value: "\(statistics.lastSequence)",
                link: request.address("changes"), figure: "sequence"),
            Fact(
                label: "Attachments", value: Amounts.count(statistics.attachmentContentCount)),
            Fact(label: "File", value: Amounts.bytes(statistics.fileSizeBytes), figure: "file"),
            Fact(
                label: "Free inside the file",
                value: Amounts.bytes(statistics.pagesFree * statistics.pageSizeBytes)),
            Fact(
                label: "Lies in",
                value: VisibleText.of(request.database.configuration.fileLocation.path)),
        ]
        if statistics.expiringDocumentCount > 0 {
            facts.append(
                Fact(label: "Expire", value: Amounts.count(statistics.expiringDocumentCount)))
        }
        if let date = statistics.nextExpirationDate {
            facts.append(Fact(label: "Next expires", value: Amounts.date(date)))
        }
        return facts
    }

    private static func file(
        _ statistics: DatabaseStatistics, _ request: PageRequest
    ) throws -> [Block] {
        let sizes = TableSizes(
            statistics.tables, indexes: try request.database.indexStatuses())
        let tables =
            sizes.tables.map {
                (name: $0.name, link: String?.none, rows: $0.rowCount, bytes: $0.sizeBytes)
            }
            + sizes.indexes.map {
                (
                    name: "Index \($0.name)",
                    link: request.address("index", ["name": $0.name]), rows: $0.rowCount,
                    bytes: $0.sizeBytes
                )
            }
        let sorted = tables.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
        let free = statistics.pagesFree * statistics.pageSizeBytes
        let rest = sorted.dropFirst(drawnMax)
        let restBytes = rest.reduce(0) { $0 + $1.bytes }
        let parts =
            sorted.prefix(drawnMax).map {
                ShareBar.Part(name: $0.name, size: $0.bytes, shown: Amounts.bytes($0.bytes))
            } + [
                ShareBar.Part(
                    name: Amounts.count(rest.count, "smaller table"), size: restBytes,
                    shown: Amounts.bytes(restBytes))
            ] + [ShareBar.Part(name: "free", size: free, shown: Amounts.bytes(free))]
        var table = Table(
            caption: "Tables and indexes of the file, the largest first",
            columns: ["Table", "Rows", "Size"])
        for part in sorted.prefix(tableCountMax) {
            table.add(
                .name(part.name, link: part.link), .number(part.rows),
                .amount(Amounts.bytes(part.bytes)))
        }
        let drawing = ShareBar.drawing(parts, title: "The file by table")
        return (drawing.map { [.drawing($0, caption: "The file by table, free pages last")] } ?? [])
            + [.table(table)]
    }

    private static func readers(_ statistics: DatabaseStatistics) -> Table {
        var table = Table(
            caption:
                "Reads of this process that are under way; \(Amounts.count(statistics.readerCount)) of all processes",
            columns: ["Reader", "Age"], emptiness: "No read is under way.")
        for reader in statistics.readers {
            table.add(.name(reader.name), .amount(Amounts.time(reader.age)))
        }
        return table
    }

    private static func warnings(
        _ request: PageRequest, _ statistics: DatabaseStatistics
    ) throws -> [(text: String, link: PageLink?)] {
        var warnings: [(String, PageLink?)] = statistics.readers.filter(\.isLong).map {
            (
                "The read '\(VisibleText.of($0.name))' has been under way for \(Amounts.time($0.age)). As long as it "
                    + "lasts, the file can only grow. End what it was begun for.", nil
            )
        }
        for status in try request.database.indexStatuses() {
            let name = VisibleText.beginning(of: status.name)
            let link = PageLink(
                text: "Look at it", address: request.address("index", ["name": status.name]))
            if status.errorCount > 0 {
                warnings.append(
                    (
                        "The index '\(name)' could not map \(Amounts.count(status.errorCount, "document")). They "
                            + "have no rows in it.", link
                    ))
            }
            if !status.isBuilt, status.progress == nil {
                warnings.append(
                    ("The index '\(name)' is not built. The first query that needs it waits.", link)
                )
            } else if status.sequence + behindMax < statistics.lastSequence {
                warnings.append(
                    (
                        "The index '\(name)' is \(Amounts.count(Int(statistics.lastSequence - status.sequence), "change")) "
                            + "behind. The next query that needs it waits for that.", link
                    ))
            }
        }
        let free = statistics.pagesFree * statistics.pageSizeBytes
        if free > statistics.fileSizeBytes / 2, free > compactMin {
            warnings.append(
                (
                    "More than half of the file is free. 'settle compact' gives it back to the disk.",
                    nil
                ))
        }
        if let room = room(request), room < statistics.fileSizeBytes / 10 {
            warnings.append(
                (
                    "The disk has \(Amounts.bytes(room)) left, less than a tenth of the file. Make room: commits "
                        + "that find none fail.", nil
                ))
        }
        return warnings
    }

    /// How many changes an index may be behind before a query notices.
    private static let behindMax: UInt64 = 10_000
    /// From how many free bytes on it is worth to write the file anew.
    private static let compactMin = 64 << 20

    /// The bytes that the disk has left; nil where the system does not tell.
    private static func room(_ request: PageRequest) -> Int? {
        let path = request.database.configuration.fileLocation.path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }
}
