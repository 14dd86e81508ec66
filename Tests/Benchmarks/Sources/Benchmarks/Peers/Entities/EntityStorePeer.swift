import Dispatch
import Foundation
import Settle
import SettleEntities
import Synchronization

/// Entities in a datastore.
struct EntityStorePeer: Sendable {
    static let name = "settle"

    let datastore: Datastore
    private let folder: URL
    private let clock: SettableDate

    init(in folder: URL) async throws {
        let clock = SettableDate(EntitySet.start)
        self.clock = clock
        self.folder = folder.appendingPathComponent("entities", isDirectory: true)
        datastore = try await Datastore.load(
            Database.OpenDatabaseConfiguration(
                name: "entities", fileLocation: self.folder,
                completionQueue: DispatchQueue(label: "benchmarks-entities"),
                durability: .relaxed, now: { clock.value }),
            device: "here")
    }

    func close() async { await datastore.database.close() }

    /// Stores all entities, and then the changes.
    func fill(_ entities: EntitySet, changes: Int = EntitySet.changeCount) async throws {
        for batch in entities.people.batches(of: 1_000) {
            _ = try await datastore.get(
                entities: batch.map { person in
                    Entity.identifiedBy(
                        person.id, createAs: EntityType(EntitySet.type),
                        with: [
                            "name": person.name, "email": person.email, "city": person.city,
                            "age": person.age, "height": person.height,
                            "active": person.isActive, "born": person.born,
                        ])
                })
        }
        guard changes > 0 else { return }
        for change in 1...changes {
            clock.value = EntitySet.date(ofChange: change)
            for batch in entities.changed.batches(of: 1_000) {
                try await update(entities, batch) { EntitySet.city(of: $0, after: change) }
            }
        }
    }

    /// Moves the clock, which stands still otherwise.
    func advance(to date: Date) { clock.value = date }

    /// Changes the city of entities, all in one transaction.
    func update(_ entities: EntitySet, _ picks: some Sequence<Int>, _ city: (Int) -> String)
        async throws
    {
        try await datastore.update(
            properties: picks.map { pick in
                let reference = Entity.identifiedBy(entities.people[pick].id)
                reference.addUpdates(["city": city(pick)])
                return reference
            })
    }

    func read(_ entities: EntitySet, _ picks: some Collection<Int>) async throws -> FieldSums {
        Self.sums(
            try await datastore.get(
                allPropertiesOf: picks.map { Entity.identifiedBy(entities.people[$0].id) }))
    }

    func read(_ entities: EntitySet, _ picks: some Collection<Int>, asOf date: Date) async throws
        -> FieldSums
    {
        Self.sums(
            try await datastore.get(
                allPropertiesOf: picks.map { Entity.identifiedBy(entities.people[$0].id) },
                asOf: date))
    }

    private static func sums(_ found: [EntityReference]) -> FieldSums {
        found.reduce(into: FieldSums()) { sums, entity in
            guard entity.isResolved else { return }
            sums.count += 1
            sums.amounts += entity["age"]?.integer ?? 0
            sums.textBytes += entity["name"]?.string?.utf8.count ?? 0
            sums.textBytes += entity["city"]?.string?.utf8.count ?? 0
        }
    }

    /// Finds entities by the value of a property.
    func find(_ entities: EntitySet, _ picks: some Collection<Int>) async throws -> Int {
        try await datastore.get(
            entities: picks.map { Entity.whereKey("email", equals: entities.people[$0].email) }
        ).count { $0.isResolved }
    }

    func byteCount() throws -> Int { try ScratchFolder.byteCount(of: folder) }
}

/// A date that can be set from anywhere.
final class SettableDate: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date) { self.date = Mutex(date) }

    var value: Date {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The elements, so many at a time.
    func batches(of count: Int) -> [SubSequence] {
        stride(from: startIndex, to: endIndex, by: count).map { start in
            self[start..<Swift.min(start + count, endIndex)]
        }
    }
}
