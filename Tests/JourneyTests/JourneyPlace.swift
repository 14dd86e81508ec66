import Dispatch
import Foundation
import Settle
import TestSupport
import Testing

/// A server and the databases of its clients, in a directory of their own.
struct JourneyPlace {
    let directory: ScratchDirectory
    let server: JourneyServer

    init(_ name: String) throws {
        directory = try ScratchDirectory(name)
        server = JourneyServer(directory: try directory.folder("server"))
    }

    /// A client's database, made when it is not there.
    func database(
        _ name: String, durability: Database.Durability = .full
    ) async throws -> Database {
        try #require(
            try await Database.open(
                with: Database.OpenDatabaseConfiguration(
                    name: name, fileLocation: directory.url,
                    completionQueue: DispatchQueue(label: name), durability: durability),
                create: true))
    }
}
