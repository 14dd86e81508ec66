import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

/// Items of a remote that cannot be documents here.
@Suite(.serialized) struct `Items that are set aside` {
    /// A number that no database takes.
    private static let wrong: [String: JSONValue] = ["n": .double(.nan)]
    private let fault = ItemFault("A number is too large.", member: "n")

    @Test func `do not stop the others, and are listed and counted once`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let long = String(repeating: "x", count: 10_000)
        for id in ["_design", "", "a\0b", long] { server.put(id, ["n": 1]) }
        server.put("nan", Self.wrong)
        server.put("read", ["n": 1], fault: fault)
        server.put("fine", ["n": 1])
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let backend = ModelBackend(server: server)
        let events = device.database.replicationEvents
        let summary = try await device.replicate(backend) {
            $0.pageSize = 2
            $0.now = { now }
        }
        #expect(summary.skipped == 6)
        #expect(summary.pulled == 1)
        #expect(try await device.members("fine") == ["n": 1])
        let items = try device.database.setAsideItems(with: "model")
        #expect(items.map(\.id) == ["", "_design", "a\0b", "nan", "read", long])
        #expect(items.map(\.member) == ["id", "id", "id", nil, "n", "id"])
        #expect(items.allSatisfy { $0.remote == "model" && $0.since == now && !$0.reason.isEmpty })
        #expect(try device.database.setAsideItems(with: "another").isEmpty)
        var reported: Set<SetAsideItem> = []
        for await event in events {
            if case .setAside(let item) = event { reported.insert(item) }
            if case .completed = event { break }
        }
        #expect(reported == Set(items))

        // A pull that begins anew reads them again.
        _ = try await device.database.write {
            let record = try #require(try RemoteRecord.find("model", in: $0))
            try RemoteTables(record, writingIn: $0).removeAllCheckpoints()
        }
        let again = try await device.replicate(backend)
        #expect(again.received == 7)
        #expect(again.skipped == 0)
        #expect(try device.database.setAsideItems() == items)
    }

    @Test func `are counted again when they change and are wrong all the same`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", [:], fault: fault)
        #expect(try await device.replicate(server).skipped == 1)
        server.put("a", [:], fault: fault)
        #expect(try await device.replicate(server).skipped == 1)
        #expect(try await device.replicate(server).skipped == 0)
        #expect(try device.database.setAsideItems().count == 1)
    }

    @Test func `leave the list when they can be documents, are deleted or go out of scope`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.state.withLock { $0.reportsLeaving = true }
        for id in ["good", "deleted", "left", "_x", "_y"] {
            server.put(id, ["channels": ["c"]], fault: fault)
        }
        let backend = ModelBackend(server: server)
        func replicate() async throws {
            try await device.replicate(backend) { $0.limitToChannels = ["c"] }
        }
        try await replicate()
        #expect(try device.database.setAsideItems().count == 5)
        server.put("good", ["channels": ["c"], "n": 1])
        server.put("deleted", nil)
        server.put("_x", nil)
        for id in ["left", "_y"] { server.put(id, ["channels": ["d"]]) }
        try await replicate()
        #expect(try device.database.setAsideItems().isEmpty)
        #expect(try device.database.totalDocumentCount == 1)
        #expect(try await device.members("good") == ["channels": ["c"], "n": 1])
    }

    @Test func `leave the list when a listing does not show them any more`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("stays", [:], fault: fault)
        server.put("goes", [:], fault: fault)
        try await device.replicate(server)
        server.erase("goes")
        try await device.replicate(server)
        #expect(try device.database.setAsideItems().count == 2)
        let listed = try await device.replicate(ModelBackend(server: server)) {
            $0.reconciling = .atStart
        }
        #expect(try device.database.setAsideItems().map(\.id) == ["stays"])
        #expect(listed.skipped == 0)
    }

    @Test func `without an identifier are listed until a pull begins anew without them`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("k", [:], fault: ItemFault("It has no 'id'.", place: "row 0a"), hasNoId: true)
        server.put("l", [:], fault: ItemFault("It has no 'id'.", place: "row 0b"), hasNoId: true)
        server.put("fine", [:])
        #expect(try await device.replicate(server).skipped == 2)
        let items = try device.database.setAsideItems()
        #expect(items.allSatisfy { $0.id == nil })
        #expect(Set(items.map(\.place)) == ["row 0a", "row 0b"])
        server.erase("k")
        let channels = ModelBackend(identifier: "model", server: server)
        try await device.replicate(channels)
        #expect(try device.database.setAsideItems().count == 2)
        _ = try await device.database.write {
            let record = try #require(try RemoteRecord.find("model", in: $0))
            try RemoteTables(record, writingIn: $0).removeAllCheckpoints()
        }
        #expect(try await device.replicate(channels).skipped == 0)
        #expect(try device.database.setAsideItems().map(\.place) == ["row 0b"])
    }

    @Test func `are forgotten when the remote's documents are purged, and found again`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", [:], fault: fault)
        server.put("b", [:])
        try await device.replicate(server)
        try await device.database.purgeReplicatedDocuments(of: "model")
        #expect(try device.database.setAsideItems().isEmpty)
        #expect(try await device.replicate(server).skipped == 1)
        #expect(try device.database.setAsideItems().map(\.id) == ["a"])
    }

    @Test func `leave the document that is here as it is`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        try await device.replicate(server)
        server.put("a", [:], fault: fault)
        try await device.replicate(ModelBackend(server: server)) { $0.reconciling = .atStart }
        #expect(try await device.members("a") == ["n": 1])
        server.put("a", ["n": 2])
        #expect(try await device.replicate(server).pulled == 1)
        #expect(try device.database.setAsideItems().isEmpty)
        #expect(try await device.members("a") == ["n": 2])
    }

    @Test func `set an operation aside that meets them, until the item can be a document`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        try await device.replicate(server)
        server.put("a", ["n": 1], fault: fault)
        try await device.put("a", ["n": 2])
        try await device.put("b", ["n": 1])
        let summary = try await device.replicate(server, .localWins)
        #expect(summary.pushed == 1)
        #expect(summary.rejected == 1)
        #expect(summary.skipped == 1)
        #expect(server.contents["b"] == ["n": 1])
        let operation = try #require(try device.database.rejectedOperations().first)
        guard case .rejected(let reason) = operation.state else { return }
        #expect(reason.contains("A number is too large."))
        #expect(reason.contains("'n'"))
        // It is asked about once for each start, and does not go round in circles.
        #expect(try await device.replicate(server, .localWins).rejected == 1)

        server.put("a", ["n": 3])
        let oneWay = try await device.replicate(ModelBackend(server: server)) {
            $0.isBidirectional = false
        }
        #expect(oneWay.pulled == 0)
        #expect(try device.database.setAsideItems().isEmpty)
        #expect(try device.database.rejectedOperations().isEmpty)
        try await device.replicate(server, .localWins)
        #expect(server.contents["a"] == ["n": 2])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `in the answer to an operation that was carried out set it aside, and lose nothing`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        server.state.withLock { $0.spoilsStored = fault }
        try await device.put("a", ["n": 1])
        let summary = try await device.replicate(backend)
        #expect(summary.pushed == 0)
        #expect(summary.rejected == 1)
        #expect(try device.database.setAsideItems().map(\.id) == ["a"])
        #expect(try await device.members("a") == ["n": 1])
        #expect(server.state.withLock { $0.executedCount } == 1)
        // Deleting it needs nothing of what the item holds.
        try await device.database.delete(documentWithId: "a")
        server.state.withLock { $0.spoilsStored = nil }
        server.put("a", ["n": 1])
        try await device.replicate(backend)
        try await device.replicate(server, .localWins)
        #expect(server.contents.isEmpty)
        #expect(try device.database.setAsideItems().isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `that come while the document waits to be sent are not shown to its handler`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        server.put("a", Self.wrong)
        let backend = ModelBackend(server: server)
        try await device.replicate(backend) { $0.isBidirectional = false }
        #expect(try device.database.setAsideItems().map(\.id) == ["a"])
        let summary = try await device.replicate(server, .serverWins)
        #expect(summary.conflictsResolved == 0)
        #expect(summary.rejected == 1)
        #expect(try await device.members("a") == ["n": 2])
    }

    @Test func `are too large for a document, and those are none whose text alone is`()
        async throws
    {
        let device = try await Device()
        let server = ModelServer()
        server.put("large", ["s": .string(String(repeating: "x", count: 21 << 20))])
        // As text each character has six bytes.
        let text = JSONValue.string(String(repeating: "\u{1}", count: 4 << 20))
        server.put("fine", ["s": text])
        let summary = try await device.replicate(server)
        #expect(summary.skipped == 1 && summary.pulled == 1)
        #expect(try device.database.setAsideItems().map(\.id) == ["large"])
        server.put("fine", ["s": text, "n": 1])
        #expect(try await device.replicate(server).pulled == 1)
        #expect(try await device.members("fine")?["n"] == 1)
        try await device.put("fine", ["s": text, "n": 2])
        #expect(try await device.replicate(server).pushed == 1)
    }

    @Test func `have the bytes that the format page shows`() {
        var item = RemoteItem(id: "_a", version: "Mg==", members: [:])
        item.updated = Date(timeIntervalSince1970: 2)
        let date = Date(timeIntervalSince1970: 1)
        let row = SetAsideRow(
            ItemFault("No.", member: "id"), of: item, source: 5, at: date)
        #expect(
            Self.hexadecimal(row.encoded())
                == "01 01 01 02 5F 61 00 01 02 69 64 03 4E 6F 2E 01 04 4D 67 3D 3D "
                + "80 80 80 80 80 80 80 80 40 80 80 80 80 80 80 80 F8 3F 05")
    }

    @Test func `come back as they were written, and are damaged when cut off`() throws {
        for place in [nil, "row 1"] {
            let item = RemoteItem(id: "i", version: nil, members: [:])
            let row = SetAsideRow(
                ItemFault("Why.", member: place == nil ? "m" : nil, place: place), of: item,
                source: .max, at: Date(timeIntervalSince1970: 1.5))
            let bytes = row.encoded()
            #expect(try SetAsideRow(decoding: bytes) == row)
            for count in 0..<bytes.count {
                #expect(throws: DatabaseError.self) {
                    try SetAsideRow(decoding: Array(bytes[..<count]))
                }
            }
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
