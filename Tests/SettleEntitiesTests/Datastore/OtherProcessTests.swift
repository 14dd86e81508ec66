import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleEntities

/// The index is asked before the snapshot is taken; another process commits between the two.
@Suite struct `A lookup while another process changes entities` {
    private final class Child: Sendable {
        let hasEnded = Atomic(false)
    }

    /// Opens the store at a path as another device.
    private static func other(_ path: String) async throws -> Datastore {
        try await Datastore.load(
            Database.OpenDatabaseConfiguration(
                name: "store", fileLocation: URL(fileURLWithPath: path), durability: .relaxed),
            device: "there")
    }

    private static func entity(_ id: String, holding ticket: String) -> EntityReference {
        let reference = Entity.identifiedBy(id, createAs: "person")
        reference.addUpdates(["ticket": ticket])
        return reference
    }

    /// Gives one of two entities the ticket that the other has, in one commit.
    private static func pass(to winner: String, from loser: String, in datastore: Datastore)
        async throws
    {
        try await datastore.update(properties: [
            entity(winner, holding: "held"), entity(loser, holding: "none"),
        ])
    }

    private static func begin(_ store: Store) async throws {
        try await store.update("left", ["ticket": "held"])
        try await store.update("right", ["ticket": "none"])
    }

    @Test func `finds what has the value in the snapshot, not what the index said`() async throws {
        try await Store.with { store in
            try await Self.begin(store)
            let lookup = PropertyLookup(key: "ticket", value: .string("held"))
            var answers = LookupAnswers()
            try await answers.ask([lookup], of: store.database)
            #expect(answers[lookup]?.ids == ["left"])
            let path = store.scratch.url.path
            await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
                let datastore = try await Self.other(path)
                try await Self.pass(to: "right", from: "left", in: datastore)
                try await datastore.update(properties: [Self.entity("third", holding: "new")])
                _exit(3)
            }
            let before = answers
            let found = try store.database.read { snapshot in
                try Resolver(snapshot, before, editor: nil)
                    .resolve(Entity.whereKey("ticket", equals: "held"))
            }
            #expect(found == "right")
            let all = try await store.datastore.get(entities: [
                Entity.whereKey("ticket", equals: "held"),
                Entity.whereKey("ticket", equals: "none"),
                Entity.whereKey("ticket", equals: "new"),
            ])
            #expect(all.map(\.identifier) == ["right", "left", "third"])
        }
    }

    @Test func `always finds one of two that pass a value to each other`() async throws {
        try await Store.with { store in
            try await Self.begin(store)
            let path = store.scratch.url.path
            let child = Child()
            func isEnough() {
                _ = FileManager.default.createFile(atPath: path + "/enough", contents: nil)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { child.hasEnded.store(true, ordering: .releasing) }
                    await #expect(processExitsWith: .exitCode(3)) {
                        [path = path as String, parent = getpid() as Int32] in
                        let datastore = try await Self.other(path)
                        // However seldom the other gets its turn; without it, it is enough, too.
                        while getppid() == parent,
                            !FileManager.default.fileExists(atPath: path + "/enough")
                        {
                            try await Self.pass(to: "right", from: "left", in: datastore)
                            try await Self.pass(to: "left", from: "right", in: datastore)
                        }
                        _exit(3)
                    }
                }
                defer { isEnough() }
                var holders: Set<String> = []
                var foundCount = 0
                while !child.hasEnded.load(ordering: .acquiring) {
                    let found = try await store.datastore.get(
                        allPropertiesOf: [Entity.whereKey("ticket", equals: "held")])[0]
                    let holder = try #require(found.identifier)
                    #expect(found["ticket"] == "held")
                    holders.insert(holder)
                    foundCount += 1
                    if holders.count == 2, foundCount >= 100 { isEnough() }
                }
                #expect(holders == ["left", "right"])
                try await group.waitForAll()
            }
            let found = try await store.datastore.get(
                entity: Entity.whereKey("ticket", equals: "held"))
            #expect(found.identifier == "left")
        }
    }
}
