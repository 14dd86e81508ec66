import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

/// What the tool does with a database whose process was killed while it wrote.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The tool, after the writer was killed` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A folder as a kill leaves it: the files of a database that is open.
    private func killed(in scratch: ScratchDirectory) async throws -> URL {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "shop", fileLocation: try scratch.folder("live"),
            completionQueue: DispatchQueue(label: "shop"), durability: .relaxed)
        let database = try #require(try await Database.open(with: configuration, create: true))
        for number in 0..<20 { try await database.save(["id": "d\(number)"]) }
        let copy = scratch.file("shop.settle")
        try FileManager.default.copyItem(at: scratch.file("live/shop.settle"), to: copy)
        await database.close()
        return copy
    }

    @Test func `puts it in order, and reads all that was written`() async throws {
        try await withScratchDirectory("killed") { scratch in
            _ = try await killed(in: scratch)
            let configuration = Database.OpenDatabaseConfiguration(
                name: "shop", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "shop"), isReadOnly: true)
            let error = await #expect(throws: DatabaseError.self) {
                try await Database.open(with: configuration)
            }
            #expect(error?.code == .readOnly)
            let listed = try await tool.run(["ls", scratch.file("shop").path, "--all"])
            #expect(listed.status == 0 && listed.lines.count == 21, "\(listed)")
            // From now on reading alone is enough.
            let database = try #require(try await Database.open(with: configuration))
            #expect(try database.totalDocumentCount == 20)
            await database.close()
        }
    }

    @Test func `refuses data that lost its log, and leaves it as it is`() async throws {
        try await withScratchDirectory("killed") { scratch in
            let folder = try await killed(in: scratch)
            try FileManager.default.removeItem(at: folder.appendingPathComponent("log.mdb"))
            let data = folder.appendingPathComponent("data.mdb")
            let before = try Data(contentsOf: data)
            for words in [["ls"], ["check"], ["get"]] {
                let path = scratch.file("shop").path
                let outcome = try await tool.run(
                    [words[0], path] + (words[0] == "get" ? ["d1"] : []))
                #expect(outcome.status != 0 && outcome.errors.contains("log.mdb"), "\(outcome)")
            }
            #expect(try Data(contentsOf: data) == before)
        }
    }
}
