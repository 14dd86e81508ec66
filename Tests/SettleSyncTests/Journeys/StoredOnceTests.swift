import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

/// A replicated document is stored once, and its base is what it was all the same.
@Suite struct `A document is stored once` {
    private func size(_ database: Database) async throws -> Int {
        // Without the pages that the push queue took.
        _ = try await database.compact()
        return try database.statistics().fileSizeBytes
    }

    private func cities(_ count: Int) throws -> [[UInt8]] {
        try Fixture.lines("Documents/cities.ndjson").prefix(count).map { [UInt8]($0) }
    }

    /// A server with documents, as tables have them.
    private func server(_ lines: [[UInt8]]) throws -> ModelServer {
        let server = ModelServer()
        for line in lines {
            guard case .object(var members) = try JSONText.value(from: line),
                let id = members.removeValue(forKey: "id")?.stringValue
            else { continue }
            server.put(id, members)
        }
        return server
    }

    @Test func `in a database that was pulled or pushed, hardly larger than one filled`()
        async throws
    {
        let lines = try cities(3_000)
        let filled = try await Device()
        try await filled.database.add(json: lines)
        // In a scope the documents have a member more.
        let filledInScope = try await Device()
        try await filledInScope.database.add(
            json: lines.map { [UInt8](#"{"kind":"place","#.utf8) + $0.dropFirst() })
        let pushed = try await Device()
        try await pushed.database.add(json: lines)
        let pulled = try await Device()
        let scoped = try await Device()
        let described = try await Device()

        var backend = ModelBackend(server: try server(lines))
        backend.batchMax = 100
        backend.listed = Self.likeATable
        backend.answered = Self.likeATable
        try await pulled.replicate(backend) { $0.pageSize = 500 }
        // As a server's rows come: packed, and with attachments that none of them has.
        var packing = backend
        packing.carriesAttachments = true
        packing.listed = { Self.packed(Self.likeATable($0)) }
        try await described.replicate(packing) { $0.pageSize = 500 }
        try await scoped.replicate(backend) {
            $0.pageSize = 500
            $0.scope = .documents(ofType: "place", member: "kind")
        }
        let empty = ModelServer()
        var target = backend
        target = ModelBackend(server: empty)
        target.batchMax = 100
        target.listed = Self.likeATable
        target.answered = Self.likeATable
        try await pushed.replicate(target)
        #expect(try pushed.database.pendingOperations().isEmpty)

        for (device, plain, ratioMax, name) in [
            (pulled, filled, 1.15, "pulled"), (described, filled, 1.15, "described"),
            (pushed, filled, 1.15, "pushed"),
            // Each base names that member.
            (scoped, filledInScope, 1.17, "scoped"),
        ] {
            #expect(try device.database.statistics().documentCount == lines.count)
            let ratio = try await Double(size(device.database)) / Double(size(plain.database))
            #expect(ratio <= ratioMax, "\(name)")
            #expect(try await device.database.check() == [])
        }
    }

    /// An item as a page of text gives it.
    private static let packed: @Sendable (RemoteItem) -> RemoteItem = { item in
        var members = item.members
        members[AttachmentMember.name] = nil
        guard let packed = try? PackedValue(.object(members)) else {
            preconditionFailure("The members of a city can be packed.")
        }
        return RemoteItem(
            id: item.id, version: item.version, packed: packed, created: item.created,
            updated: item.updated)
    }

    /// Versions and dates of the lengths that those of a server have.
    private static let likeATable: @Sendable (RemoteItem) -> RemoteItem = { item in
        var item = item
        let number = Int(item.version?.dropFirst() ?? "") ?? 0
        let digits = String(repeating: "0123456789abcdef", count: 2)
        item.version = Data("\(number)-\(digits)".utf8).base64EncodedString()
        item.created = Date(timeIntervalSince1970: 1_800_000_000 + Double(number) / 1_000)
        item.updated = item.created
        return item
    }

    /// The bases of a remote, as each was last agreed, in a naive form.
    private struct Agreed {
        var rows: [String: RemoteItem] = [:]

        /// After a replication without conflicts both sides are equal.
        mutating func replicated(with server: ModelServer) {
            rows = server.state.withLock { state in
                state.rows.values.filter { !$0.item.isDeleted }
                    .reduce(into: [:]) { $0[$1.item.id] = $1.item }
            }
        }
    }

    private func check(
        _ database: Database, _ agreed: [String: Agreed], _ comment: Comment
    ) async throws {
        for (remote, expected) in agreed {
            // What was edited without it is not a change of any base.
            try database.read { (snapshot) throws -> Void in
                guard let record = try RemoteRecord.find(remote, in: snapshot) else {
                    return #expect(expected.rows.isEmpty, comment)
                }
                let tables = try RemoteTables(record, in: snapshot)
                var live: [String: [String: JSONValue]?] = [:]
                try tables.forEachServer { id, state in
                    #expect(live[id] == nil, comment)
                    guard state.isLive else { return }
                    live[id] = .some(state.members)
                    let base = try tables.base(id)
                    #expect(base == state, comment)
                    #expect(state.version == expected.rows[id]?.version, comment)
                }
                #expect(live == expected.rows.mapValues { .some($0.members) }, comment)
            }
        }
        #expect(try await database.check() == [], comment)
    }

    /// How many seeds are tried; a long run asks for more.
    private static let seedCount =
        ProcessInfo.processInfo.environment["SETTLE_SIMULATION_SEEDS"].flatMap { Int($0) } ?? 12

    @Test(arguments: 1...seedCount)
    func `and its base is what was agreed, whatever is done to it with two remotes`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let comment: Comment = "\(random)"
        var device = try await Device()
        let servers = ["east": ModelServer(), "west": ModelServer()]
        var agreed = ["east": Agreed(), "west": Agreed()]
        var count: Int64 = 0
        for _ in 0..<40 {
            let id = "d\(Int.random(in: 0..<5, using: &random))"
            let remote = Bool.random(using: &random) ? "east" : "west"
            let server = try #require(servers[remote])
            count += 1
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3:
                try await device.put(id, ["n": .integer(count), "text": "Grüße"])
            case 3:
                try await device.database.delete(documentWithId: id)
            case 4:
                // As it was before the last edit, perhaps.
                try await device.put(id, ["n": .integer(count % 3)])
            case 5:
                server.put(id, ["n": .integer(count % 3)])
            case 6 where server.contents[id] != nil:
                server.put(id, nil)
            case 7:
                device = try await Device(reopening: device)
            case 8:
                // Of both, since what one has purged is not new to the other.
                for other in [remote, remote == "east" ? "west" : "east"] {
                    try await device.database.purgeReplicatedDocuments(
                        of: other, discardingPendingOperations: true)
                }
                try await replicate(device, servers, &agreed)
            case 9:
                _ = try await device.database.compact()
            default:
                try await replicate(device, servers, &agreed)
            }
            try await check(device.database, agreed, comment)
        }
    }

    /// Replicates with both until nothing is left to tell; what is here wins.
    private func replicate(
        _ device: Device, _ servers: [String: ModelServer], _ agreed: inout [String: Agreed]
    ) async throws {
        for _ in 0..<4 {
            for (remote, server) in servers.sorted(by: { $0.key < $1.key }) {
                var backend = ModelBackend(server: server)
                backend.identifier = remote
                try await device.replicate(backend) { $0.conflictHandler = .localWins }
            }
        }
        for (remote, server) in servers { agreed[remote]?.replicated(with: server) }
    }
}
