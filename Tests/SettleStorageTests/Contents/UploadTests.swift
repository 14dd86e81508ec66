import SettleDocuments
import SettleStorage
import Testing
import TestSupport

@Suite(.serialized) struct `Uploads` {
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private var digest: ContentDigest { ContentDigest(of: bytes) }

    private func chunks() -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: StoreSnapshot.chunkLength).map {
            Array(bytes[$0..<min($0 + StoreSnapshot.chunkLength, bytes.count)])
        }
    }

    private func upload(to store: Store) async throws -> UInt64 {
        let upload = try await store.write { try $0.beginUpload() }
        for (index, chunk) in chunks().enumerated() {
            try await store.write { try $0.append(chunk, at: index, toUpload: upload) }
        }
        let (digest, length) = (digest, bytes.count)
        try await store.write { try $0.finishUpload(upload, as: digest, length: length) }
        return upload
    }

    private func attach(_ id: String, _ store: Store, ending upload: UInt64? = nil) async throws {
        let record = AttachmentRecord(
            name: "f", contentType: "t", digest: digest, length: bytes.count)
        try await store.write { transaction in
            try transaction.put(
                id, body: try body([:]), attachments: [record], precondition: .none, origin: nil)
            if let upload { try transaction.endUpload(upload) }
        }
    }

    private func rows(_ store: Store, _ table: String) throws -> Int {
        try #require(store.statistics().tables.first { $0.name == table }).rowCount
    }

    @Test func `hold their content until a document takes it, and it goes with the document`()
        async throws
    {
        let scratch = try ScratchStore()
        let store = scratch.store
        let number = try await upload(to: store)
        #expect(try store.read("test") { try $0.content(digest) } == bytes)
        try await attach("a", store, ending: number)
        #expect(try rows(store, "uploads") == 0)
        #expect(try store.read("test") { try $0.content(digest) } == bytes)
        try await store.write { _ = try $0.purge("a") }
        #expect(try store.read("test") { try $0.hasContent(digest) } == false)
        #expect(try rows(store, "chunks") == 0)
        #expect(try rows(store, "contents") == 0)
    }

    @Test func `of the same content keep it once, and each holds it`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        let first = try await upload(to: store)
        let second = try await upload(to: store)
        #expect(try rows(store, "chunks") == chunks().count)
        try await attach("a", store, ending: first)
        try await store.write { _ = try $0.purge("a") }
        #expect(try store.read("test") { try $0.hasContent(digest) })
        try await attach("b", store, ending: second)
        #expect(try store.read("test") { try $0.content(digest) } == bytes)
    }

    @Test func `that are given up leave nothing, whole or not`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        let whole = try await upload(to: store)
        #expect(try await store.write { try $0.endUpload(whole) })
        #expect(try await store.write { try $0.endUpload(whole) } == false)
        let half = try await store.write { try $0.beginUpload() }
        let chunk = chunks()[0]
        try await store.write { try $0.append(chunk, at: 0, toUpload: half) }
        #expect(try await store.write { try $0.endUpload(half) })
        for table in ["uploads", "chunks", "contents"] { #expect(try rows(store, table) == 0) }
        await #expect(throws: StorageError.self) {
            try await store.write { try $0.append(chunk, at: 1, toUpload: half) }
        }
        let (digest, length) = (digest, bytes.count)
        await #expect(throws: StorageError.self) {
            try await store.write { try $0.finishUpload(half, as: digest, length: length) }
        }
    }

    @Test func `that nobody took end by their age`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        scratch.setTime(100)
        _ = try await upload(to: store)
        scratch.setTime(200)
        let young = try await store.write { try $0.beginUpload() }
        #expect(
            try await store.write { try $0.endUploads(begunBefore: Timestamp(microseconds: 150)) }
                == 1)
        #expect(try rows(store, "chunks") == 0)
        #expect(try await store.write { try $0.endUpload(young) })
    }

    @Test func `bring in content that documents were waiting for`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        try await attach("a", store)
        try await attach("b", store)
        #expect(try store.read("test") { try $0.hasContent(digest) } == false)
        #expect(throws: StorageError.self) { try store.read("test") { try $0.content(digest) } }
        let number = try await upload(to: store)
        try await store.write { _ = try $0.endUpload(number) }
        #expect(try store.read("test") { try $0.content(digest) } == bytes)
        try await store.write { _ = try $0.purge("a") }
        #expect(try store.read("test") { try $0.hasContent(digest) })
        try await store.write { _ = try $0.purge("b") }
        #expect(try rows(store, "chunks") == 0)
    }

    @Test func `content stored in a closure whose document is refused is not kept`() async throws {
        let scratch = try ScratchStore()
        let store = scratch.store
        let content = bytes
        try await store.write { transaction in
            _ = try transaction.store(content: content)
            #expect(throws: StorageError.self) {
                try transaction.put(
                    "a", body: try body([:]), precondition: .present, origin: nil)
            }
        }
        #expect(try rows(store, "chunks") == 0)
        #expect(try rows(store, "uploads") == 0)
    }
}
