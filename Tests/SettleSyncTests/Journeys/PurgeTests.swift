import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Purged documents and a remote` {
    @Test
    func `a purge is sent to no remote, whatever was pending, and the remote may bring it back`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        for id in ["a", "b", "c"] { try await device.put(id, ["n": 1]) }
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        try await device.database.delete(documentWithId: "b")
        try await device.put("new", ["n": 3])
        try await device.database.purge(documentsWithIds: ["a", "b", "c", "new"])
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.replicate(server).pushed == 0)
        #expect(server.contents == ["a": ["n": 1], "b": ["n": 1], "c": ["n": 1]])
        // Somebody's edit there is news here, though it was known before.
        let other = try await Device()
        try await other.replicate(server)
        try await other.put("c", ["n": 9])
        try await other.replicate(server)
        try await device.replicate(server)
        #expect(try await device.members("c") == ["n": 9])
        #expect(try await device.members("a") == nil)
    }

    @Test func `nor is one that nothing lists any more, because no outbox was there`() async throws
    {
        let device = try await Device()
        let server = ModelServer()
        for id in ["a", "b"] { try await device.put(id, ["n": 1]) }
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        #expect(try device.database.pendingOperations().count == 1)
        // A process that only writes has no outbox.
        let writer = try await Device(reopening: device)
        try await writer.database.write { transaction in
            try transaction.purge(documentsWithIds: ["a"])
            for number in 0..<10_001 {
                try transaction.add(Document(id: "t\(number)"))
                try transaction.purge(documentsWithIds: ["t\(number)"])
            }
        }
        #expect(try writer.database.read { $0.forgottenPurgeSequence } > 0)
        #expect(try await writer.replicate(server).pushed == 0)
        #expect(server.contents == ["a": ["n": 1], "b": ["n": 1]])
        #expect(try writer.database.pendingOperations().isEmpty)
        // The next word of the remote is new again, as it is after every purge.
        let other = try await Device()
        try await other.replicate(server)
        try await other.put("a", ["n": 7])
        try await other.replicate(server)
        try await writer.replicate(server)
        #expect(try await writer.members("a") == ["n": 7])
    }
}
