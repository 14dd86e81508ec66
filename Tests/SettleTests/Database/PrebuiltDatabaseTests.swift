import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A prebuilt database` {
    private static let byKind = Database.Index.keyPaths(
        name: "kinds", version: "1", keys: [["kind"]])

    private static func configuration(
        in folder: URL, from prebuilt: URL?, isReadOnly: Bool = false
    ) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: "cities", fileLocation: folder, indexes: [byKind], isReadOnly: isReadOnly,
            prebuilt: prebuilt)
    }

    /// Makes one, as a developer does: two documents, an attachment, and an index that is built.
    private static func build(in folder: URL) async throws -> URL {
        let database = try #require(
            try await Database.open(with: configuration(in: folder, from: nil), create: true))
        var lyon: Document = ["id": "lyon", "kind": "city"]
        lyon.attachments = [
            DocumentAttachment(name: "map", contentType: "text/plain", data: Data("here".utf8))
        ]
        try await database.save(lyon)
        try await database.save(["id": "rhone", "kind": "river"])
        _ = try await database.runQuery(on: "kinds", with: QueryByKeyRange())
        await database.close()
        return folder.appendingPathComponent("cities.settle", isDirectory: true)
    }

    private static func files(in folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
            })
    }

    @Test func `is copied at the first start, and not looked at later`() async throws {
        let scratch = try ScratchDirectory("prebuilt")
        let prebuilt = try await Self.build(in: scratch.folder("bundle"))
        // As it is shipped: the data file alone.
        try FileManager.default.removeItem(at: prebuilt.appendingPathComponent("lock.mdb"))
        let shipped = try Data(contentsOf: prebuilt.appendingPathComponent("data.mdb"))
        let place = scratch.file("app")
        let configuration = Self.configuration(in: place, from: prebuilt)
        #expect(try await Database.open(with: configuration) == nil)
        let database = try #require(try await Database.open(with: configuration, create: true))
        let lyon = try #require(try await database.fetchDocument("lyon"))
        #expect(try lyon.attachments.first?.data() == Data("here".utf8))
        #expect(lyon.metaData.revision?.hasPrefix("1-") == true)
        #expect(try database.indexStatus(named: "kinds").isCurrent)
        try await database.delete(documentWithId: "rhone")
        await database.close()
        let files = try FileManager.default.contentsOfDirectory(
            atPath: place.appendingPathComponent("cities.settle").path)
        #expect(Set(files).isSubset(of: ["data.mdb", "lock.mdb"]))
        #expect(
            try Data(contentsOf: prebuilt.appendingPathComponent("data.mdb")) == shipped)

        // What the user deleted stays deleted, also when the application brings nothing any more.
        try FileManager.default.removeItem(at: prebuilt)
        let again = try #require(try await Database.open(with: configuration, create: true))
        #expect(try again.totalDocumentCount == 1)
        await again.close()
    }

    @Test func `is copied once when many open at the same time`() async throws {
        let scratch = try ScratchDirectory("prebuilt")
        let prebuilt = try await Self.build(in: scratch.folder("bundle"))
        let configuration = Self.configuration(in: scratch.file("app"), from: prebuilt)
        let opened = try await withThrowingTaskGroup(of: Database?.self) { group in
            for _ in 0..<8 {
                group.addTask { try await Database.open(with: configuration, create: true) }
            }
            return try await group.reduce(into: [Database?]()) { $0.append($1) }
        }
        let database = try #require(opened.first ?? nil)
        #expect(opened.count == 8 && opened.allSatisfy { $0 === database })
        #expect(try database.totalDocumentCount == 2)
        #expect(try await database.check() == [])
        await database.close()
    }

    @Test func `is read where it lies, and nothing there changes`() async throws {
        let scratch = try ScratchDirectory("prebuilt")
        let bundle = try scratch.folder("bundle")
        let prebuilt = try await Self.build(in: bundle)
        let before = try Self.files(in: prebuilt)
        let configuration = Self.configuration(in: bundle, from: nil, isReadOnly: true)
        let database = try #require(try await Database.open(with: configuration, create: true))
        #expect(try await database.fetchDocument("lyon") != nil)
        #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 2)
        await database.close()
        let after = try Self.files(in: prebuilt)
        #expect(after["data.mdb"] == before["data.mdb"])
        #expect(after.keys.sorted() == before.keys.sorted())
    }

    @Test func `is copied by no open for reading only`() async throws {
        let scratch = try ScratchDirectory("prebuilt")
        let prebuilt = try await Self.build(in: scratch.folder("bundle"))
        let place = scratch.file("app")
        let configuration = Self.configuration(in: place, from: prebuilt, isReadOnly: true)
        #expect(try await Database.open(with: configuration, create: true) == nil)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `that is not there, or is none, is an error that leaves nothing`() async throws {
        let scratch = try ScratchDirectory("prebuilt")
        let place = try scratch.folder("app")
        let empty = try scratch.folder("empty.settle")
        let garbage = try scratch.folder("garbage.settle")
        try Data(repeating: 7, count: 9_000).write(to: garbage.appendingPathComponent("data.mdb"))
        for (url, code) in [
            (scratch.file("none.settle"), DatabaseError.Code.invalidFileLocation),
            (empty, .invalidFileLocation), (garbage, .corrupted),
        ] {
            let error = await #expect(throws: DatabaseError.self, "\(url)") {
                let configuration = Self.configuration(in: place, from: url)
                _ = try await Database.open(with: configuration, create: true)
            }
            #expect(error?.code == code, "\(url): \(error?.message ?? "")")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
        }
    }
}
