import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

/// Documents that were sent or fetched while their attachments did not travel were never healed
/// when they did.
@Suite(.serialized) struct `Attachments that begin to travel` {
    private let photo = DocumentAttachment(
        name: "photo.jpg", contentType: "image/jpeg", data: Data("a photo".utf8))
    private let note = DocumentAttachment(
        name: "note.txt", contentType: "text/plain", data: Data("a note".utf8))

    private func carrying(_ server: ModelServer) -> ModelBackend {
        var backend = ModelBackend(server: server)
        backend.carriesAttachments = true
        return backend
    }

    private func save(
        _ id: String, _ attachments: [DocumentAttachment], n: Int64 = 1, on device: Device
    ) async throws {
        var document = Document(id: id)
        document["n"] = n
        document.attachments = attachments
        try await device.database.save(document)
    }

    /// The texts of a document's attachments, by name; those whose content is not here are "?".
    private func texts(_ id: String, on device: Device) async throws -> [String: String]? {
        try await device.database.fetchDocument(id)?.attachments.reduce(into: [:]) {
            let isHere = try $1.isContentAvailable
            $0[$1.name] = isHere ? String(decoding: try $1.data(), as: UTF8.self) : "?"
        }
    }

    private func names(_ id: String, on server: ModelServer) -> Set<String>? {
        server.contents[id]?["_attachments"]?.objectValue.map { Set($0.keys) }
    }

    @Test(arguments: [false, true])
    func `are sent for documents that had gone without them, by one replication`(
        editsLater: Bool
    ) async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo, note], on: left)
        try await left.put("plain", ["n": 1])
        try await left.replicate(server)
        #expect(names("a", on: server) == nil)
        if editsLater { try await save("a", [photo, note], n: 2, on: left) }
        let summary = try await left.replicate(carrying(server))
        #expect(summary.conflicts == 0 && summary.conflictsResolved == 0)
        #expect(names("a", on: server) == ["photo.jpg", "note.txt"])
        #expect(server.contents["a"]?["n"] == (editsLater ? 2 : 1))
        #expect(try left.database.pendingOperations().isEmpty)
        try await right.replicate(carrying(server))
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo", "note.txt": "a note"])

        // Once: the next replication finds nothing to do.
        let again = try await left.replicate(carrying(server))
        #expect(again.pushed == 0 && again.pulled == 0)
        #expect(server.complaints.isEmpty)
    }

    @Test func `are fetched for documents that had come without them`() async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await save("b", [note], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        #expect(try await texts("a", on: right) == [:])
        let summary = try await right.replicate(carrying(server))
        #expect(summary.attachmentsDownloaded == 2)
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo"])
        #expect(try await texts("b", on: right) == ["note.txt": "a note"])
        #expect(try right.database.pendingOperations().isEmpty)
        let again = try await right.replicate(carrying(server))
        #expect(again.pulled == 0 && again.received == 0)
    }

    @Test(arguments: [false, true], [false, true])
    func `are put together where both sides have some, and neither side loses one`(
        editsHere: Bool, editsThere: Bool
    ) async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        // Not carried, so this says nothing of the server's.
        try await save("a", [note], n: 1, on: right)
        try await right.replicate(server)
        #expect(names("a", on: server) == ["photo.jpg"])
        if editsHere { try await save("a", [note], n: 5, on: right) }
        if editsThere {
            try await left.replicate(carrying(server))
            try await save("a", [photo], n: 7, on: left)
            try await left.replicate(carrying(server))
        }
        try await right.replicate(carrying(server)) { $0.conflictHandler = .merge }
        try await right.replicate(carrying(server)) { $0.conflictHandler = .merge }
        #expect(names("a", on: server) == ["photo.jpg", "note.txt"])
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo", "note.txt": "a note"])
        try await left.replicate(carrying(server))
        #expect(try await texts("a", on: left) == ["photo.jpg": "a photo", "note.txt": "a note"])
        #expect(try right.database.pendingOperations().isEmpty)
    }

    @Test func `are a conflict where one name has two contents, and both stay`() async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        let other = DocumentAttachment(
            name: "photo.jpg", contentType: "image/jpeg", data: Data("another".utf8))
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        try await save("a", [other], on: right)
        let summary = try await right.replicate(carrying(server))
        #expect(summary.conflicts == 1)
        let conflict = try #require(try right.database.replicationConflicts().first)
        #expect(conflict.local?.attachments == [other])
        #expect(conflict.server?.attachments == [photo])
        #expect(try await texts("a", on: right) == ["photo.jpg": "another"])
        #expect(names("a", on: server) == ["photo.jpg"])
        #expect(try await right.database.resolve(conflict, with: .useServer))
        try await right.replicate(carrying(server))
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo"])
    }

    @Test func `again after they were switched off meet what was changed meanwhile`() async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(carrying(server))
        // Off: the left adds one, and edits; the right adds another, and nothing else.
        try await save("a", [photo, note], n: 2, on: left)
        try await left.replicate(server)
        #expect(names("a", on: server) == ["photo.jpg"])
        try await right.replicate(server)
        #expect(try await right.members("a") == ["n": 2])
        let third = DocumentAttachment(
            name: "third", contentType: "text/plain", data: Data("3".utf8))
        try await save("a", [photo, third], n: 2, on: right)
        try await right.replicate(server)
        #expect(try right.database.pendingOperations().isEmpty)
        // On again.
        try await left.replicate(carrying(server))
        try await right.replicate(carrying(server))
        try await left.replicate(carrying(server))
        let all = ["photo.jpg": "a photo", "note.txt": "a note", "third": "3"]
        #expect(names("a", on: server) == Set(all.keys))
        #expect(try await texts("a", on: left) == all)
        #expect(try await texts("a", on: right) == all)
        #expect(server.complaints.isEmpty)
    }

    @Test func `are not taken from a server by what was removed while they did not travel`()
        async throws
    {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        // The document here has none, and is edited: the remote's are not known to it.
        try await right.put("a", ["n": 9])
        try await right.replicate(carrying(server))
        #expect(server.contents["a"]?["n"] == 9)
        #expect(names("a", on: server) == ["photo.jpg"])
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo"])
    }

    @Test(arguments: ModelBackend.Fault.allCases)
    func `lose nothing when an answer is lost on the way`(fault: ModelBackend.Fault) async throws {
        for place in 0..<6 {
            let (left, server) = (try await Device(), ModelServer())
            try await save("a", [photo], on: left)
            try await left.replicate(server)
            try await save("a", [photo], n: 2, on: left)
            let script = Script<ModelBackend.Fault>(
                Array(repeating: .none, count: place) + [fault], then: .none)
            var backend = carrying(server)
            backend.fault = { script.next() }
            for _ in 0..<3 { _ = try? await left.replicate(backend) }
            #expect(names("a", on: server) == ["photo.jpg"], "\(place)")
            #expect(server.contents["a"]?["n"] == 2)
            #expect(try await texts("a", on: left) == ["photo.jpg": "a photo"])
            #expect(try left.database.pendingOperations().isEmpty)
            #expect(try left.database.replicationConflicts().isEmpty)
        }
    }

    /// A back-end that sends only, and what waits.
    private func send(_ device: Device, _ backend: ModelBackend) async throws -> ReplicationSummary
    {
        try await device.replicate(backend) { $0.direction = .clientToServer }
    }

    private func lookUps(_ server: ModelServer) -> Int { server.state.withLock { $0.lookUpCount } }

    @Test(arguments: [false, true])
    func `are sent by a replication that only sends, once`(editsLater: Bool) async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo, note], on: left)
        try await save("b", [photo], on: left)
        for index in 0..<20 { try await left.put("plain\(index)", ["n": 1]) }
        _ = try await send(left, ModelBackend(server: server))
        #expect(names("a", on: server) == nil)
        if editsLater { try await save("a", [photo, note], n: 2, on: left) }
        let summary = try await send(left, carrying(server))
        #expect(summary.pushed == 2 && summary.received == 0 && summary.conflicts == 0)
        #expect(names("a", on: server) == ["photo.jpg", "note.txt"])
        #expect(names("b", on: server) == ["photo.jpg"])
        #expect(server.contents["a"]?["n"] == (editsLater ? 2 : 1))
        #expect(server.state.withLock { $0.uploadCount } == 3)
        #expect(lookUps(server) == 2, "Those with attachments, and no others.")
        #expect(server.state.withLock { $0.pullCount } == 0)
        #expect(try left.database.pendingOperations().isEmpty)
        try await right.replicate(carrying(server))
        #expect(try await texts("a", on: right) == ["photo.jpg": "a photo", "note.txt": "a note"])

        let again = try await send(left, carrying(server))
        #expect(again.pushed == 0 && lookUps(server) == 2)
        // Also in another run, and with what is edited from now on.
        let reopened = try await Device(reopening: left)
        try await save("a", [photo], n: 3, on: reopened)
        try await save("new", [note], on: reopened)
        _ = try await send(reopened, carrying(server))
        #expect(names("a", on: server) == ["photo.jpg"])
        #expect(names("new", on: server) == ["note.txt"])
        #expect(lookUps(server) == 2)
        #expect(server.complaints.isEmpty)
    }

    @Test(arguments: [false, true])
    func `are put together with the server's by a replication that only sends`(
        editsThere: Bool
    ) async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        try await save("a", [note], on: right)
        _ = try await send(right, ModelBackend(server: server))
        if editsThere {
            try await save("a", [photo], n: 7, on: left)
            try await left.replicate(carrying(server))
        }
        let summary = try await send(right, carrying(server))
        #expect(summary.conflicts == 0 && summary.conflictsResolved == 0)
        #expect(names("a", on: server) == ["photo.jpg", "note.txt"])
        #expect(server.contents["a"]?["n"] == (editsThere ? 7 : 1))
        #expect(try await right.members("a")?["n"] == (editsThere ? 7 : 1))
        #expect(try right.database.pendingOperations().isEmpty)
        try await left.replicate(carrying(server))
        #expect(try await texts("a", on: left) == ["photo.jpg": "a photo", "note.txt": "a note"])
    }

    @Test func `are a conflict of a replication that only sends where one name has two contents`()
        async throws
    {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        let other = DocumentAttachment(
            name: "photo.jpg", contentType: "image/jpeg", data: Data("another".utf8))
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(server)
        try await save("a", [other], on: right)
        #expect(try await send(right, carrying(server)).conflicts == 1)
        let conflict = try #require(try right.database.replicationConflicts().first)
        #expect(conflict.server?.attachments == [photo] && conflict.local?.attachments == [other])
        #expect(try await right.database.resolve(conflict, with: .useLocal))
        _ = try await send(right, carrying(server))
        try await left.replicate(carrying(server))
        #expect(try await texts("a", on: left) == ["photo.jpg": "another"])
    }

    // What is not pulled is shown by no page.
    @Test func `are sent for documents that the pull does not show`() async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        for channel in ["mine", "yours"] {
            var document = Document(id: channel)
            document["channels"] = [channel]
            document.attachments = [photo]
            try await left.database.save(document)
        }
        try await left.replicate(ModelBackend(server: server)) { $0.limitToChannels = ["mine"] }
        try await left.replicate(carrying(server)) { $0.limitToChannels = ["mine"] }
        #expect(names("mine", on: server) == ["photo.jpg"])
        #expect(names("yours", on: server) == ["photo.jpg"])
        #expect(lookUps(server) == 1)
        try await right.replicate(carrying(server))
        #expect(try await texts("yours", on: right) == ["photo.jpg": "a photo"])
        #expect(try await left.replicate(carrying(server)).pushed == 0)
        #expect(lookUps(server) == 1)
    }

    @Test(arguments: ["cannot be looked up", "may not be read", "is gone", "is not shown"])
    func `do not hold a document whose item`(_ what: String) async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await save("a", [photo], on: device)
        try await save("b", [photo], on: device)
        _ = try await send(device, ModelBackend(server: server))
        var backend = carrying(server)
        switch what {
        case "cannot be looked up": backend.lookedUp = nil
        case "may not be read":
            backend.lookUpFailure = { id in
                id == "a" ? ReplicationError(.unauthorized, "It may not be read.") : nil
            }
        case "is gone": server.erase("a")
        default:
            backend.lookedUp = { item in
                var item = item
                item.isOutOfScope = item.id == "a"
                return item
            }
        }
        for round in 0..<3 {
            let summary = try await send(device, backend)
            #expect(summary.pushed == (round == 0 && what != "cannot be looked up" ? 1 : 0))
        }
        #expect(names("a", on: server) == nil)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `wait for an item on whose look-up the server fails, and hold no others`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["a", "b", "c"] { try await save(id, [photo], on: device) }
        _ = try await send(device, ModelBackend(server: server))
        var backend = carrying(server)
        backend.lookUpFailure = { id in
            id == "b" ? ReplicationError(.serverFailed, "Something broke.", statusCode: 500) : nil
        }
        await #expect {
            _ = try await send(device, backend)
        } throws: {
            ($0 as? ReplicationError)?.code == .serverFailed
        }
        #expect(names("a", on: server) == ["photo.jpg"] && names("c", on: server) == ["photo.jpg"])
        #expect(try device.database.pendingOperations().map(\.documentId) == ["b"])
        backend.lookUpFailure = { _ in ReplicationError(.busy, "Later.", retryAfter: .seconds(7)) }
        await #expect {
            _ = try await send(device, backend)
        } throws: {
            ($0 as? ReplicationError)?.retryAfter == .seconds(7)
        }
        _ = try await send(device, carrying(server))
        #expect(names("b", on: server) == ["photo.jpg"])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `again after they were switched off are sent by a replication that only sends`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        _ = try await send(device, carrying(server))
        try await save("a", [photo], on: device)
        _ = try await send(device, ModelBackend(server: server))
        _ = try await send(device, carrying(server))
        try await save("b", [note], on: device)
        _ = try await send(device, ModelBackend(server: server))
        #expect(names("b", on: server) == nil)
        _ = try await send(device, carrying(server))
        #expect(names("a", on: server) == ["photo.jpg"] && names("b", on: server) == ["note.txt"])
    }

    @Test func `cost no look-up where all went with them`() async throws {
        let (left, right, server) = (try await Device(), try await Device(), ModelServer())
        try await save("a", [photo], on: left)
        try await left.replicate(carrying(server))
        try await save("a", [note], n: 2, on: left)
        try await left.replicate(carrying(server))
        try await right.replicate(carrying(server))
        try await save("a", [photo, note], n: 3, on: right)
        _ = try await send(right, carrying(server))
        #expect(names("a", on: server) == ["photo.jpg", "note.txt"])
        #expect(lookUps(server) == 0)
    }

    @Test func `do not let what had them all the time be fetched once more`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["n": 1])
        try await device.replicate(carrying(server))
        let pulls = server.state.withLock { $0.pullCount }
        let summary = try await device.replicate(carrying(server))
        #expect(summary.received == 0)
        #expect(server.state.withLock { $0.pullCount } - pulls <= 1)
    }
}
