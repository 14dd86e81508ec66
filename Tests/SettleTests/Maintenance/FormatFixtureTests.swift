import Dispatch
import Foundation
import Settle
import TestSupport
import Testing

/// Stores as released formats left them, which every later release must be able to read.
///
/// A fixture is made by running these tests with `SETTLE_FIXTURE_FOLDER` set to a folder: the
/// database that is compared with the fixture is then left there.
@Suite(.serialized) struct `The store fixtures` {
    /// The newest format, and those that are upgraded.
    private static let formats = [4, 3, 2]

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let byKind = Database.Index.keyPaths(
        name: "kinds", version: "1", keys: [["kind"], ["n"]], value: ["n"], reduce: .sum)

    /// A database with something in every table.
    private func make(in folder: URL) async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "format-\(Self.formats[0])", fileLocation: folder, indexes: [byKind],
            completionQueue: DispatchQueue(label: "fixture"), now: { Self.start },
            clock: ManualClock())
        let database = try #require(try await Database.open(with: configuration, create: true))
        try await database.write { transaction in
            for number in 0..<60 {
                var document: Document = [
                    "id": .init("d\(number)"), "kind": .init(number % 3 == 0 ? "a" : "ä"),
                    "n": number,
                    "deep": ["x": [1, 2.5, true, NSNull(), "𝄞\u{0}"] as [Any]] as [String: Any],
                    "big": 9_223_372_036_854_775_807, "small": -1e-300,
                ]
                if number % 10 == 0 {
                    document.attachments = [
                        DocumentAttachment(
                            name: "f", contentType: "text/plain",
                            data: Data(repeating: UInt8(number % 20), count: 70_000))
                    ]
                }
                if number % 15 == 0 {
                    document.metaData.expirationDate = Self.start.addingTimeInterval(1e9)
                }
                try transaction.add(document)
            }
            let described = try DocumentAttachment(
                name: "later", contentType: "image/png", length: 5,
                digest: String(repeating: "ab", count: 32))
            var waiting = Document(id: "described")
            waiting.attachments = [described]
            try transaction.add(waiting)
            try transaction.store(["id": "theirs", "n": 1], from: "https://example.org/tables")
        }
        for round in 1...12 {
            try await database.write { transaction in
                var document = try #require(try transaction.document("d1"))
                document["round"] = round
                try transaction.save(document)
            }
        }
        try await database.write { transaction in
            try transaction.delete(documentWithId: "d2")
            try transaction.delete(keeping: ["id": "d3", "by": "nobody"])
            try transaction.purge(documentsWithIds: ["d4", "d20"])
            try transaction.sideTable(named: "mine").set([1, 2, 3], for: [0xFF])
        }
        _ = try await database.runQuery(on: "kinds", with: QueryByKeyRange())
        return database
    }

    /// Everything that can be read of a database.
    private func contents(_ database: Database) async throws -> [String] {
        var lines = try database.read { snapshot in
            var lines = ["sequence \(snapshot.sequence)"]
            try snapshot.forEachDocument(includingDeleted: true) { document in
                let members = String(decoding: try document.toJSON(), as: UTF8.self)
                let attachments = try document.attachments.map {
                    "\($0.name) \($0.contentType) \($0.digest) \(try $0.isContentAvailable)"
                }
                lines.append("\(document.metaData) \(members) \(attachments)")
                return true
            }
            for change in try snapshot.changes(since: 0).changes { lines.append("\(change)") }
            try snapshot.table("mine")?.forEach { key, value in
                lines.append("\(key) \(value)")
                return true
            }
            return lines
        }
        for row in try await database.runQuery(on: "kinds", with: QueryByKeyRange()) {
            let (key, value) = (String(describing: row.key), String(describing: row.value))
            lines.append("\(key) \(value) \(row.documentId ?? "")")
        }
        return lines
    }

    @Test(arguments: formats)
    func `are read as they were written`(format: Int) async throws {
        let scratch = try ScratchDirectory("fixture")
        let kept = ProcessInfo.processInfo.environment["SETTLE_FIXTURE_FOLDER"]
        let folder =
            format == Self.formats[0] && kept != nil
            ? URL(fileURLWithPath: kept ?? "") : scratch.url.appendingPathComponent("made")
        let made = try await make(in: folder)
        let expected = try await contents(made)
        await made.close()

        for isReadOnly in [true, false] {
            let copy = scratch.url.appendingPathComponent("fixture \(isReadOnly)")
            let name = "format-\(format).settle"
            try FileManager.default.createDirectory(
                at: copy.appendingPathComponent(name), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Fixture.url("Stores/\(name)/data.mdb"),
                to: copy.appendingPathComponent("\(name)/data.mdb"))
            let configuration = Database.OpenDatabaseConfiguration(
                name: "format-\(format)", fileLocation: copy, indexes: [byKind],
                completionQueue: DispatchQueue(label: "fixture"), now: { Self.start },
                clock: ManualClock(), isReadOnly: isReadOnly)
            let fixture = try #require(try await Database.open(with: configuration))
            if isReadOnly, format < 3 {
                // Its indexes have another form, and cannot be built.
                let status = try fixture.indexStatus(named: "kinds")
                #expect(!status.isBuilt)
                await #expect(throws: DatabaseError.self) {
                    try await fixture.runQuery(on: "kinds", with: QueryByKeyRange())
                }
            } else {
                #expect(try await contents(fixture) == expected)
            }
            #expect(try await fixture.check() == [])
            await fixture.close()
        }
    }
}
