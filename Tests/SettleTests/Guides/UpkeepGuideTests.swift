import Foundation
import Settle
import TestSupport
import Testing

/// The code of Docs/Guides/Upkeep.md, run.
@Suite(.serialized) struct `The guide to attachments, Codable, expiry, and upkeep` {
    struct Order: Codable {
        var id: String
        var amount: Int
        var ordered: Date
    }

    @Test func `does what it says`() async throws {
        let directory = try ScratchDirectory("guide")
        let folder = directory.url
        try await withDatabase { database async throws in
            try await database.add(Document(encoding: Order(id: "o1", amount: 3, ordered: Date())))
            let order = try await database.fetchDocument("o1")?.decode(Order.self)
            #expect(order?.amount == 3)
            let texts = [Array(#"{"id":"o2","amount":4}"#.utf8)]
            try await database.add(json: texts)
            let amount = MemberName("amount")
            let total = try database.read { snapshot in
                var total: Int64 = 0
                try snapshot.forEachView { view in
                    total += try view.integer(amount) ?? 0
                    return true
                }
                return total
            }
            #expect(total == 7)
            try await useAttachments(of: database, in: folder)
            try await keepUp(database, in: folder)
        }
    }

    private func useAttachments(of database: Database, in folder: URL) async throws {
        let (file, copy) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
        let sound = folder.appendingPathComponent("c")
        try Data(repeating: 7, count: 200_000).write(to: file)
        try Data("sound".utf8).write(to: sound)
        let digest = DocumentAttachment(
            name: "", contentType: "", data: Data("sound".utf8)
        ).digest
        let picture = Data("picture".utf8)
        var postcard: Document = ["id": "postcard"]
        postcard.attachments = [
            DocumentAttachment(name: "front.jpg", contentType: "image/jpeg", data: picture)
        ]
        postcard = try await database.save(postcard)
        let front = try postcard.attachments[0].data()
        #expect(front == picture)
        var received = 0
        let film = try await database.storeAttachment(
            named: "film.mp4", contentType: "video/mp4", contentsOf: file)
        var holiday: Document = ["id": "holiday"]
        holiday.attachments = [film]
        holiday = try await database.save(holiday)
        for try await chunk in holiday.attachments[0].chunks { received += chunk.count }
        try await holiday.attachments[0].write(to: copy)
        #expect(try received == 200_000 && Data(contentsOf: copy) == Data(contentsOf: file))
        holiday.attachments.append(
            try DocumentAttachment(
                name: "sound.wav", contentType: "audio/wav", length: 5, digest: digest))
        holiday = try await database.save(holiday)
        if try !holiday.attachments[1].isContentAvailable {
            try await database.provideContent(of: holiday.attachments[1], contentsOf: sound)
        }
        let stored = try #require(try await database.fetchDocument("holiday"))
        #expect(try stored.attachments[1].data() == Data("sound".utf8))
    }

    private func keepUp(_ database: Database, in folder: URL) async throws {
        var holiday = try #require(try await database.fetchDocument("holiday"))
        try await database.purge(documentsWithIds: ["o1"])
        holiday.metaData.expirationDate = Date(timeIntervalSinceNow: 3_600)
        try await database.save(holiday)
        let export = folder.appendingPathComponent("export.ndjson")
        let findings = try await database.check()
        let compaction = try await database.compact()
        let backup = try await database.backup(to: folder, name: "backup")
        try await database.exportDocuments(to: export)
        let statistics = try database.statistics()
        #expect(findings == [] && compaction.bytesAfter > 0 && backup.name == "backup")
        #expect(statistics.documentCount == 3 && statistics.expiringDocumentCount == 1)
        #expect(FileManager.default.fileExists(atPath: export.path))
        let usual = database.configuration
        let configuration = Database.OpenDatabaseConfiguration(usual, commitLog: .none)
        #expect(configuration == usual && !configuration.commitLog.isUsed)
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Upkeep.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 30)
    }
}
