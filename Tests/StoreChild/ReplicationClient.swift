package import Foundation
package import Settle
import SettleREST
package import SettleSync

/// A client that writes and replicates, again and again, until it is killed.
///
/// What it writes follows from a number alone, the *last* one it has written, so that whoever finds
/// that number knows what every document must be. Only the document `shared` is written by others,
/// too; it holds the last number of each client.
package struct ReplicationClient {
    /// How many documents a client has of its own.
    package static let ownCount = 10
    /// The document that all clients write to.
    package static let sharedId = "shared"

    private let database: Database
    private let name: String

    /// A client of this name.
    package init(_ database: Database, name: String) {
        self.database = database
        self.name = name
    }

    /// How a client replicates.
    ///
    /// - Parameter table: The table's address.
    /// - Returns: A configuration that resolves conflicts by merging.
    package static func configuration(for table: URL) -> ReplicationConfiguration {
        var configuration = ReplicationConfiguration(
            url: table, isRepeating: false,
            options: [AzureTablesBackend.OptionName.timeoutSeconds: 60])
        configuration.pollInterval = .zero
        configuration.clock = ImpatientClock()
        configuration.conflictHandler = ConflictHandler(mayStop: false) { conflict in
            // Nobody else writes to the other documents.
            if conflict.documentId != sharedId { Report.foreign(type: "conflict").send() }
            return await ConflictHandler.merge(conflict)
        }
        return configuration
    }

    /// What a client's own document must be after it has written so many times; nil when it is
    /// deleted or was never written.
    package static func own(_ index: Int, after last: Int) -> [String: JSONValue]? {
        guard last > index else { return nil }
        let position = (last - 1) - (last - 1 - index) % ownCount
        let pass = position / ownCount
        // Every fourth time it is deleted, and then made anew.
        if pass % 4 == 3 { return nil }
        return ["number": .integer(Int64(position + 1)), "count": .integer(Int64(pass % 4 + 1))]
    }

    /// The identifier of a client's own document.
    package static func ownId(_ name: String, _ index: Int) -> String { "\(name)-\(index)" }

    /// The last number that a client has written, as a database knows it.
    package static func last(of name: String, in database: Database) throws -> Int {
        let shared = try database.read { try $0.document(sharedId) }
        return shared?[json: name]?.integerValue.map(Int.init) ?? 0
    }

    /// Writes and replicates; tells of every number when it is written.
    func run(against table: URL) async throws {
        var configuration = Self.configuration(for: table)
        configuration.isRepeating = true
        let events = database.replicationEvents
        try await database.startReplication(with: configuration)
        Report.opened.send()
        for await event in events {
            switch event {
            case .completed, .failed: Report.committed(lane: 0, number: try await write()).send()
            default: continue
            }
        }
    }

    /// Writes the next number.
    private func write() async throws -> Int {
        try await database.write { [name] transaction in
            var shared = try transaction.document(Self.sharedId) ?? Document(id: Self.sharedId)
            let number = (shared[json: name]?.integerValue.map(Int.init) ?? 0) + 1
            shared[json: name] = .integer(Int64(number))
            try transaction.save(shared)
            let index = (number - 1) % Self.ownCount
            let id = Self.ownId(name, index)
            guard Self.own(index, after: number) != nil else {
                try transaction.delete(documentWithId: id)
                return number
            }
            // The count goes on from what is there, so that a lost or doubled write shows.
            var document = try transaction.document(id) ?? Document(id: id)
            document[json: "number"] = .integer(Int64(number))
            let count = document[json: "count"]?.integerValue ?? 0
            document[json: "count"] = .integer(count + 1)
            try transaction.save(document)
            return number
        }
    }
}

/// A clock on which a wait is only a turn given to others.
private struct ImpatientClock: Clock {
    private let clock = ContinuousClock()

    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        await Task.yield()
    }
}
