import Dispatch
import Foundation
import Settle
import TestSupport
import Testing

/// A store with revision trees as a released format left it.
///
/// The fixture is made by running this test with `SETTLE_TREE_FIXTURE` set to a folder: the database that is compared
/// with the fixture is then left there.
@Suite(.serialized) struct `The fixture with revision trees` {
    private func configuration(_ folder: URL, isReadOnly: Bool = false)
        -> Database.OpenDatabaseConfiguration
    {
        Database.OpenDatabaseConfiguration(
            name: "trees-5", fileLocation: folder, completionQueue: DispatchQueue(label: "fixture"),
            now: { Date(timeIntervalSince1970: 1_800_000_000) }, clock: ManualClock(),
            isReadOnly: isReadOnly)
    }

    private func make(in folder: URL) async throws -> Database {
        let database = try await Database.openOrCreate(configuration(folder))
        try await database.write { transaction in
            try transaction.setRevisionLimit(40)
            for (revisions, isDeleted) in [
                (["2-b", "1-x"], false), (["2-a", "1-x"], false), (["3-c"], true),
                (["2-967a00dff5e02add41819138abb3284d", "1-x"], false),
            ] {
                var document: Document = ["id": "conflict", "name": .init(revisions[0])]
                document.attachments = [
                    DocumentAttachment(
                        name: "f", contentType: "text/plain", data: Data(revisions[0].utf8))
                ]
                try transaction.store(
                    document, revisions: revisions, isDeleted: isDeleted, from: "peer")
            }
            try transaction.store(
                ["id": "given"], revisions: ["1-967a00dff5e02add41819138abb3284d"])
            for number in 0..<60 { try transaction.save(["id": "long", "n": .init(number)]) }
        }
        return database
    }

    private func contents(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            var lines = ["\(snapshot.sequence), \(try snapshot.revisionLimit)"]
            for id in ["conflict", "given", "long"] {
                for leaf in try snapshot.leaves(of: id) {
                    let document = try #require(
                        try snapshot.document(id, atRevision: leaf.revision))
                    let attached = try document.attachments.map {
                        String(decoding: try $0.data(), as: UTF8.self)
                    }
                    lines.append("\(leaf) \(document.metaData) \(attached)")
                }
            }
            try snapshot.forEachConflict {
                lines.append("\($0)")
                return true
            }
            return lines
        }
    }

    @Test func `is read as it was written`() async throws {
        let scratch = try ScratchDirectory("fixture")
        let kept = ProcessInfo.processInfo.environment["SETTLE_TREE_FIXTURE"]
        let folder =
            kept.map { URL(fileURLWithPath: $0) } ?? scratch.url.appendingPathComponent("made")
        let made = try await make(in: folder)
        let expected = try contents(made)
        await made.close()
        if kept != nil { return }
        for isReadOnly in [true, false] {
            let copy = scratch.url.appendingPathComponent("fixture \(isReadOnly)")
            let place = copy.appendingPathComponent("trees-5.settle")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Fixture.url("Stores/trees-5.settle/data.mdb"),
                to: place.appendingPathComponent("data.mdb"))
            let fixture = try #require(
                try await Database.open(with: configuration(copy, isReadOnly: isReadOnly)))
            #expect(try contents(fixture) == expected)
            #expect(try await fixture.check() == [])
            await fixture.close()
        }
    }
}
