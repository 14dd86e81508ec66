import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Replicated attachments` {
    private let photo = DocumentAttachment(
        name: "photo.jpg", contentType: "image/jpeg", data: Data("a photo".utf8))
    private let note = DocumentAttachment(
        name: "note.txt", contentType: "text/plain", data: Data("a note".utf8))

    private func backend(_ server: ModelServer) -> ModelBackend {
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

    private func attachment(
        _ name: String, of id: String, on device: Device
    ) async throws -> DocumentAttachment {
        let document = try #require(try await device.database.fetchDocument(id))
        return try #require(document.attachments.first { $0.name == name })
    }

    private func text(_ name: String, of id: String, on device: Device) async throws -> String {
        let data = try await attachment(name, of: id, on: device).data()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `go from one device to another with their content, each content once`() async throws
    {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo, note], on: left)
        try await left.replicate(backend(server))
        #expect(server.state.withLock { $0.uploadCount } == 2)
        let summary = try await right.replicate(backend(server))
        #expect(summary.attachmentsDownloaded == 2)
        #expect(try await text("photo.jpg", of: "a", on: right) == "a photo")
        #expect(try await text("note.txt", of: "a", on: right) == "a note")
        #expect(try await attachment("photo.jpg", of: "a", on: right) == photo)

        // An edit beside them sends no content again, and fetches none.
        try await save("a", [photo, note], n: 2, on: left)
        try await left.replicate(backend(server))
        let second = try await right.replicate(backend(server))
        #expect(second.pulled == 1)
        #expect(second.attachmentsDownloaded == 0)
        #expect(server.state.withLock { $0.uploadCount } == 2)
        #expect(try right.database.pendingOperations().isEmpty)
        #expect(server.complaints.isEmpty)
    }

    // The pull that follows a lost answer shows the item as it was before the deletion.
    @Test(arguments: [true, false])
    func `are no conflict of an undeletion whose answer was lost`(hasSome: Bool) async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = backend(server)
        try await save("a", hasSome ? [photo] : [], on: device)
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        try await device.replicate(backend) { $0.direction = .clientToServer }
        try await save("a", [], n: 2, on: device)
        let lost = Script<ModelBackend.Fault>([.answerLost], then: .none)
        backend.fault = { lost.next() }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) { $0.direction = .clientToServer }
        }
        for direction in [ReplicationDirection.serverToClient, .bidirectional] {
            try await device.replicate(backend) {
                $0.direction = direction
                $0.conflictHandler = ConflictHandler { conflict in
                    Issue.record("\(conflict.documentId) is no conflict.")
                    return .leave
                }
            }
        }
        #expect(try await device.members("a") == ["n": 2])
        #expect(server.contents["a"]?["n"] == 2)
        #expect(server.complaints.isEmpty)
    }

    @Test func `are removed there and here when the document loses them`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo, note], on: left)
        try await left.replicate(backend(server))
        try await right.replicate(backend(server))
        try await save("a", [note], on: left)
        try await left.replicate(backend(server))
        try await right.replicate(backend(server))
        let names = try await right.database.fetchDocument("a")?.attachments.map(\.name)
        #expect(names == ["note.txt"])
        #expect(try await text("note.txt", of: "a", on: right) == "a note")
    }

    @Test func `come as descriptions when they are not to be downloaded, and later on demand`()
        async throws
    {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo], on: left)
        try await left.replicate(backend(server))
        let summary = try await right.replicate(backend(server)) { $0.downloadsAttachments = false }
        #expect(summary.attachmentsDownloaded == 0)
        #expect(server.state.withLock { $0.downloadCount } == 0)
        let described = try await attachment("photo.jpg", of: "a", on: right)
        #expect(try !described.isContentAvailable)
        #expect(described.length == 7)
        // An edit here keeps the content on the remote.
        try await right.database.write { transaction in
            var document = try #require(try transaction.document("a"))
            document["n"] = 5
            try transaction.save(document)
        }
        try await right.replicate(backend(server)) { $0.downloadsAttachments = false }
        #expect(server.contents["a"]?["_attachments"]?["photo.jpg"] != nil)

        let count = try await right.database.downloadAttachments(
            ofDocumentWithId: "a", using: backend(server))
        #expect(count == 1)
        #expect(try await text("photo.jpg", of: "a", on: right) == "a photo")
        let again = try await right.database.downloadAttachments(
            ofDocumentWithId: "a", using: backend(server))
        #expect(again == 0)
    }

    @Test func `are fetched by a later replication when an earlier one was cut off`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo, note], on: left)
        try await left.replicate(backend(server))
        // The pull has one page and an empty one; then the first download fails.
        let script = Script<ModelBackend.Fault>([.none, .none, .requestLost], then: .none)
        var broken = backend(server)
        broken.fault = { script.next() }
        await #expect(throws: ReplicationError.self) { try await right.replicate(broken) }
        let again = try await Device(reopening: right)
        #expect(try await again.replicate(backend(server)).attachmentsDownloaded >= 1)
        #expect(try await text("photo.jpg", of: "a", on: again) == "a photo")
        #expect(try await text("note.txt", of: "a", on: again) == "a note")
    }

    @Test func `added on two devices are both kept by a merge`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [], on: left)
        try await left.replicate(backend(server))
        try await right.replicate(backend(server))
        try await save("a", [photo], on: left)
        try await save("a", [note], on: right)
        try await left.replicate(backend(server))
        let summary = try await right.replicate(backend(server)) { $0.conflictHandler = .merge }
        #expect(summary.conflictsResolved == 1)
        try await left.replicate(backend(server))
        for device in [left, right] {
            #expect(try await text("photo.jpg", of: "a", on: device) == "a photo")
            #expect(try await text("note.txt", of: "a", on: device) == "a note")
        }
    }

    @Test func `that the remote refuses set their document aside with the reason`() async throws {
        let device = try await Device()
        var refusing = backend(ModelServer())
        refusing.uploadRejection = "too large."
        try await save("a", [photo], on: device)
        try await device.put("b", ["n": 1])
        let summary = try await device.replicate(refusing)
        #expect(summary.rejected == 1)
        #expect(summary.pushed == 1)
        let operation = try #require(try device.database.rejectedOperations().first)
        #expect(
            operation.state
                == .rejected(reason: "Its attachment 'photo.jpg' is refused: too large."))
    }

    @Test func `and a member of their name cannot both travel`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["_attachments": 1])
        let summary = try await device.replicate(backend(server))
        #expect(summary.rejected == 1)
        #expect(server.contents.isEmpty)
        // Where there are no attachments it is a member as any other.
        try await device.replicate(server)
        #expect(server.contents["a"] == ["_attachments": 1])
    }

    @Test func `stay as they are where the remote has none`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await save("a", [photo], on: device)
        try await device.replicate(server)
        #expect(server.contents["a"] == ["n": 1])
        server.put("a", ["n": 2])
        try await device.replicate(server)
        #expect(try await device.members("a") == ["n": 2])
        #expect(try await text("photo.jpg", of: "a", on: device) == "a photo")
        await #expect(throws: ReplicationError.self) {
            try await device.database.downloadAttachments(
                ofDocumentWithId: "a", using: ModelBackend(server: server))
        }
    }

    @Test func `survive an edit by a device that does not carry them`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo], on: left)
        try await left.replicate(backend(server))
        try await right.replicate(server)
        #expect(try await right.members("a") == ["n": 1])
        try await right.put("a", ["n": 2])
        let changed = Collected<Set<String>>()
        var plain = ModelBackend(server: server)
        plain.rejection = { operation in
            changed.add(operation.changedNames ?? [])
            return "Looked at."
        }
        try await right.replicate(plain)
        #expect(changed.all == [["n"]])

        // Nor does one that carried them before, and does not now.
        try await left.database.write { transaction in
            var document = try #require(try transaction.document("a"))
            document["n"] = 3
            try transaction.save(document)
        }
        try await left.replicate(plain)
        #expect(changed.all == [["n"], ["n"]])
        #expect(try await text("photo.jpg", of: "a", on: left) == "a photo")
    }

    @Test func `that cannot be fetched keep no others back`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo], on: left)
        try await save("b", [note], on: left)
        try await left.replicate(backend(server))
        // Two pages of a pull, and then the first of the downloads fails.
        let script = Script<ModelBackend.Fault>([.none, .none, .serverFailed], then: .none)
        var failing = backend(server)
        failing.fault = { script.next() }
        let summary = try await right.replicate(failing) { $0.concurrentRequestsMax = 1 }
        #expect(summary.attachmentsDownloaded == 1)
        #expect(try await text("note.txt", of: "b", on: right) == "a note")
        #expect(try await right.replicate(failing).attachmentsDownloaded == 1)
    }

    @Test func `with other content than described are not taken`() async throws {
        let (left, right) = (try await Device(), try await Device())
        let server = ModelServer()
        try await save("a", [photo], on: left)
        try await left.replicate(backend(server))
        server.state.withLock { $0.contents[photo.digest] = Data("not it!".utf8) }
        let summary = try await right.replicate(backend(server))
        #expect(summary.pulled == 1)
        #expect(summary.attachmentsDownloaded == 0)
        let described = try await attachment("photo.jpg", of: "a", on: right)
        #expect(try !described.isContentAvailable)
        server.state.withLock { $0.contents[photo.digest] = Data("a photo".utf8) }
        #expect(try await right.replicate(backend(server)).attachmentsDownloaded == 1)
    }
}
