import Foundation
import Settle
import TestSupport
import Testing

/// A database is deleted while another process has it open, or was being deleted when its process ended.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Deleting a database` {
    private static func configuration(in folder: URL) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: "gone", fileLocation: folder, completionQueue: DispatchQueue(label: "gone"))
    }

    @Test func `is refused while another process has it open, which goes on`() async throws {
        try await withScratchDirectory("gone") { scratch in
            let database = try await Database.openOrCreate(Self.configuration(in: scratch.url))
            try await database.save(["id": "before"])
            let path = scratch.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let folder = URL(fileURLWithPath: path, isDirectory: true)
                let other = try await Database.openOrCreate(Self.configuration(in: folder))
                let error = await #expect(throws: DatabaseError.self) { try await other.delete() }
                #expect(error?.code == .databaseInUse)
                // Closed it is all the same, and as before.
                #expect(Database.openedWith(other.configuration) == nil)
                let again = try await Database.openOrCreate(other.configuration)
                #expect(try again.totalDocumentCount == 1)
                await again.close()
            }
            for number in 0..<30 { try await database.save(["id": "d\(number)"]) }
            await database.close()
            let again = try await Database.openOrCreate(database.configuration)
            #expect(try again.totalDocumentCount == 31)
            #expect(try await again.check() == [])
            try await again.delete()
            #expect(!FileManager.default.fileExists(atPath: scratch.file("gone.settle").path))
        }
    }

    @Test func `that was broken off leaves none, and one can be made in its place`() async throws {
        try await withScratchDirectory("gone") { scratch in
            let path = scratch.path
            await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
                let folder = URL(fileURLWithPath: path, isDirectory: true)
                let other = try await Database.openOrCreate(Self.configuration(in: folder))
                for number in 0..<20 { try await other.save(["id": "d\(number)"]) }
                exit(3)
            }
            let files = scratch.file("gone.settle")
            #expect(FileManager.default.fileExists(atPath: files.path + "/log.mdb"))
            try FileManager.default.removeItem(atPath: files.path + "/data.mdb")
            let given = Self.configuration(in: scratch.url)
            #expect(try await Database.open(with: given) == nil)
            let database = try await Database.openOrCreate(given)
            #expect(try database.totalDocumentCount == 0)
            try await database.save(["id": "new"])
            await database.close()
            let again = try await Database.openOrCreate(given)
            #expect(try again.totalDocumentCount == 1)
            try await again.delete()
        }
    }
}
