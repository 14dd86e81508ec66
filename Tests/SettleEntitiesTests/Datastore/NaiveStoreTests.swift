import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// A datastore of one device as plain lists: what each operation means, without any cleverness.
struct NaiveStore {
    struct Entry: Equatable {
        /// Nil for an entry without a value.
        var value: Int?
        var date: Date
    }

    struct Entity {
        var type: String
        var added: Date
        var isDeleted = false
        /// All entries of each key that are to be shown, the earliest first.
        var keys: [String: [Entry]] = [:]
        /// When it came and went.
        var life: [(date: Date, type: String?)] = []

        mutating func append(_ value: Int, to key: String, at date: Date) {
            // A removal is shown until there is something to show.
            let isRemoved = keys[key]?.first.map { $0.value == nil } ?? false
            keys[key] = (isRemoved ? [] : keys[key] ?? []) + [.init(value: value, date: date)]
        }

        var current: [String: Int] { keys.compactMapValues { $0.last?.value } }

        func asOf(_ date: Date) -> (type: String, values: [String: Int])? {
            guard let type = life.last(where: { $0.date <= date })?.type else { return nil }
            return (
                type,
                keys.compactMapValues { entries in
                    entries.last { $0.date <= date }?.value
                }
            )
        }
    }

    var entities: [String: Entity] = [:]

    mutating func create(_ id: String, _ type: String, _ values: [String: Int], at date: Date) {
        guard entities[id]?.isDeleted ?? true else { return }
        var entity = entities[id] ?? Entity(type: type, added: date)
        for key in entity.current.keys { entity.keys[key]?.append(.init(value: nil, date: date)) }
        (entity.type, entity.isDeleted) = (type, false)
        entity.life.append((date, type))
        for (key, value) in values { entity.append(value, to: key, at: date) }
        entities[id] = entity
    }

    mutating func set(_ id: String, _ key: String, _ value: Int, always: Bool, at date: Date) {
        guard entities[id]?.isDeleted == false else { return }
        if !always, entities[id]?.current[key] == value { return }
        entities[id]?.append(value, to: key, at: date)
    }

    mutating func remove(_ id: String, _ key: String, at date: Date) {
        guard entities[id]?.isDeleted == false, entities[id]?.keys[key] != nil else { return }
        // Nothing of before, and that there is nothing now.
        entities[id]?.keys[key] = [.init(value: nil, date: date)]
    }

    mutating func delete(_ id: String, at date: Date) {
        guard entities[id]?.isDeleted == false else { return }
        entities[id]?.isDeleted = true
        entities[id]?.life.append((date, nil))
    }
}

@Suite struct `A datastore and plain lists` {
    private static let ids = ["a", "b", "c", "d"]
    private static let keys = ["k", "l", "m"]
    private static let types = ["p", "q"]

    @Test(arguments: 0..<12) func `agree after any operations`(run: UInt64) async throws {
        var generator = SeededGenerator(seed: run)
        let time = TestTime()
        var store = try await Store(time: time)
        var model = NaiveStore()
        for step in 0..<60 {
            // Often nothing passes: then the counters keep the order.
            time.advance([0, 0.5, 10].randomElement(using: &generator) ?? 0)
            try await Self.act(on: store, &model, time.date, &generator)
            if step % 20 == 19 {
                store = try await store.reopened()
                try await Self.compare(store, model, "\(generator), step \(step)")
            }
        }
        await store.database.close()
    }

    private static func act(
        on store: Store, _ model: inout NaiveStore, _ date: Date,
        _ generator: inout SeededGenerator
    ) async throws {
        let id = ids.randomElement(using: &generator) ?? ""
        let key = keys.randomElement(using: &generator) ?? ""
        let value = Int.random(in: 0...3, using: &generator)
        let reference = Entity.identifiedBy(id)
        switch Int.random(in: 0...9, using: &generator) {
        case 0, 1:
            let type = types.randomElement(using: &generator) ?? ""
            _ = try await store.datastore.get(
                entity: Entity.identifiedBy(
                    id, createAs: EntityType(type), with: [PropertyKey(key): value]))
            model.create(id, type, [key: value], at: date)
        case 2, 3, 4:
            reference.addUpdates([PropertyKey(key): value])
            try await store.datastore.add(properties: [reference])
            model.set(id, key, value, always: true, at: date)
        case 5, 6, 7:
            reference.addUpdates([PropertyKey(key): value])
            try await store.datastore.update(properties: [reference])
            model.set(id, key, value, always: false, at: date)
        case 8:
            try await store.datastore.remove(properties: [PropertyKey(key)], of: [reference])
            model.remove(id, key, at: date)
        default:
            try await store.datastore.delete(entities: [reference])
            model.delete(id, at: date)
        }
    }

    private static func compare(
        _ store: Store, _ model: NaiveStore, _ place: String
    ) async throws {
        let datastore = store.datastore
        let live = model.entities.filter { !$0.value.isDeleted }
        let found = try await datastore.getAllEntities().compactMap(\.identifier)
        #expect(Set(found) == Set(live.keys), "\(place)")
        for type in types {
            let count = try await datastore.count(entitiesOfTypes: [EntityType(type)])
            #expect(count == [live.values.count { $0.type == type }], "\(place)")
        }
        for (id, entity) in model.entities {
            let reference = Entity.identifiedBy(id)
            let read = try await datastore.get(allPropertiesOf: [reference])[0]
            #expect(read.isResolved == !entity.isDeleted, "\(place)")
            if !entity.isDeleted {
                #expect(read.values == entity.current, "\(place)")
                #expect(read.type?.rawValue == entity.type, "\(place)")
                #expect(read.datestamp == entity.added, "\(place)")
            }
            for key in keys {
                let entries = try await datastore.history(of: PropertyKey(key), in: reference).map {
                    NaiveStore.Entry(value: $0.value?.value?.integer, date: $0.datestamp)
                }
                #expect(entries == entity.keys[key] ?? [], "\(place), \(id).\(key)")
            }
            let dates = Set(entity.life.map(\.date) + entity.keys.values.flatMap { $0.map(\.date) })
            for date in dates.flatMap({ [$0, $0.addingTimeInterval(0.25)] }) {
                let past = try await datastore.get(allPropertiesOf: [reference], asOf: date)[0]
                let expected = entity.asOf(date)
                #expect(past.isResolved == (expected != nil), "\(place), \(id) as of \(date)")
                guard let expected else { continue }
                #expect(past.values == expected.values, "\(place), \(id) as of \(date)")
                #expect(past.type?.rawValue == expected.type, "\(place)")
            }
        }
        for key in keys {
            for value in 0...3 {
                let holder = try await datastore.get(
                    entity: Entity.whereKey(PropertyKey(key), equals: value))
                let holders = live.filter { $0.value.current[key] == value }
                    .sorted { ($0.value.added, $0.key) < ($1.value.added, $1.key) }
                #expect(holder.identifier == holders.first?.key, "\(place)")
            }
        }
    }
}

extension EntityReference {
    fileprivate var values: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: keys.map { ($0.description, self[$0]?.integer ?? -1) })
    }
}
