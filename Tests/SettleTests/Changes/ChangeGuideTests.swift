import Settle
import Synchronization
import TestSupport
import Testing

/// The code of Docs/Guides/Changes.md, run.
@Suite(.serialized) struct `The guide to changes` {
    private final class Logbook: DatabaseChangeDelegate {
        let inbox = Inbox<[DocumentChangedDetails]>()

        func database(_ database: Database, documentsChanged: [DocumentChangedDetails]) {
            inbox.put(documentsChanged)
        }
    }

    @Test func `does what it says`() async throws {
        let logbook = Logbook()
        try await withDatabase { database async throws in
            database.databaseChangeDelegate = logbook
            try await database.add(["id": "o1", "type": "order"])
            try await database.add(["id": "n1", "type": "note"])
            #expect(await logbook.inbox.first()?.map(\.documentId) == ["o1"])
            let inbox = Inbox<String>()
            let follower = Task { try await Self.follow(database, inbox) }
            #expect(await inbox.first() == "o1")
            #expect(await inbox.first() == "n1")
            try await database.delete(documentWithId: "n1")
            #expect(await inbox.first() == "n1 is gone")
            follower.cancel()
            #expect(try await follower.value == 3)
            #expect(try await Self.ordersInPages(database) == ["o1", "n1"])
            #expect(try await Self.beginAnew(database, at: 99) == 0)
        }
    }

    private static func follow(_ database: Database, _ inbox: Inbox<String>) async throws -> UInt64
    {
        var position: UInt64 = 0
        func handle(_ change: DocumentChange, _ document: Document?) async throws {
            inbox.put(document?.id ?? "\(change.documentId) is gone")
        }
        let feed = database.changes(since: position, isLive: true, includesDocuments: true)
        for try await element in feed {
            try await handle(element.change, element.document)
            position = element.lastSequence
        }
        return position
    }

    private static func ordersInPages(_ database: Database) async throws -> [String] {
        var position: UInt64 = 0
        var handled: [String] = []
        func handle(_ elements: [ChangeFeed.Element]) async throws {
            handled += elements.map(\.change.documentId)
        }
        for try await page in database.changes(since: position, ofType: "order").pages {
            try await handle(page.elements)
            position = page.lastSequence
        }
        #expect(position == 3)
        return handled
    }

    private static func beginAnew(_ database: Database, at start: UInt64) async throws -> UInt64 {
        var position = start
        var seen: [String] = []
        do {
            for try await element in database.changes(since: position) {
                seen.append(element.change.documentId)
            }
        } catch {
            guard error.code == .changesForgotten else { throw error }
            position = 0
        }
        #expect(seen.isEmpty)
        return position
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Changes.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 15)
    }
}
