import Dispatch
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A change delegate` {
    private final class Listener: DatabaseChangeDelegate {
        let inbox = Inbox<[DocumentChangedDetails]>()

        func database(_ database: Database, documentsChanged: [DocumentChangedDetails]) {
            inbox.put(documentsChanged)
        }
    }

    @Test func `is told in the order of the commits though its queue is concurrent`() async throws {
        let directory = try ScratchDirectory("delegate")
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "test", attributes: .concurrent))
        let database = try #require(try await Database.open(with: configuration, create: true))
        let listener = Listener()
        database.databaseChangeDelegate = listener
        let count = 500
        for number in 0..<count {
            try await database.write { try $0.add(["id": .some("d\(number)")]) }
        }
        for number in 0..<count {
            let told = await listener.inbox.first()
            #expect(told?.map(\.documentId) == ["d\(number)"])
        }
        await database.close()
    }

    @Test func `learns of a replication and of a deletion`() async throws {
        try await withDatabase { database async throws in
            let listener = Listener()
            database.databaseChangeDelegate = listener
            try await database.add(["id": "a"])
            try await database.write { transaction in
                try transaction.store(["id": "b"], from: "far")
                try transaction.storeDeletion(ofDocumentWithId: "a", from: "far")
            }
            #expect(await listener.inbox.first()?.count == 1)
            #expect(
                await listener.inbox.first() == [
                    DocumentChangedDetails(
                        documentId: "b", isFromReplication: true, isDeleted: false),
                    DocumentChangedDetails(
                        documentId: "a", isFromReplication: true, isDeleted: true),
                ])
        }
    }
}
