import Foundation
import Settle
import SettleEntities

/// Entities, for people or as JSON.
enum EntityListing {
    /// A table with a line a type.
    static func lines(
        _ types: [(type: EntityType, count: Int)], on screen: Screen = .plain
    ) -> [String] {
        guard !types.isEmpty else { return ["No entities."] }
        var table = TextTable([.name("type"), .right("entities")])
        for (type, count) in types { table.add([type.rawValue, Quantity.number(count)]) }
        return table.lines(on: screen)
    }

    /// A JSON object a type.
    static func json(_ types: [(type: EntityType, count: Int)]) -> [String] {
        types.map { type, count in
            JSONRendering.compact([
                "type": .string(type.rawValue), "count": .integer(Int64(count)),
            ])
        }
    }

    /// A table with a line an entity.
    static func lines(_ entities: [EntityReference], on screen: Screen = .plain) -> [String] {
        guard !entities.isEmpty else { return ["No entities."] }
        var table = TextTable([
            .name("entity"), .left("type"), .left("name"), .left("added"), .left("changed"),
        ])
        for entity in entities {
            table.add([
                entity.identifier ?? "", entity.type?.rawValue ?? "", entity[.name]?.string ?? "",
                entity.datestamp.map(DateArgument.text) ?? "",
                entity.modified.map(DateArgument.text) ?? "",
            ])
        }
        return table.lines(on: screen)
    }

    /// What an entity is, and a table with a line a property.
    static func lines(_ entity: EntityReference, on screen: Screen = .plain) -> [String] {
        let added = entity.datestamp.map(DateArgument.text) ?? ""
        let head = "\(entity.type?.rawValue ?? "") '\(entity.identifier ?? "")', added \(added)"
        var table = TextTable([.name("property"), .left("value"), .left("type"), .left("set")])
        for key in sortedKeys(of: entity) {
            guard let value = entity[valueWithKey: key] else { continue }
            table.add([
                key.description, value.value.map(text) ?? "", value.type.rawValue,
                value.datestamp.map(DateArgument.text) ?? "",
            ])
        }
        return [ScreenText.printable(head)] + (entity.count == 0 ? [] : table.lines(on: screen))
    }

    /// An entity with its properties.
    static func json(_ entity: EntityReference) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for key in sortedKeys(of: entity) {
            guard let value = entity[valueWithKey: key] else { continue }
            properties[key.description] = .object(members(of: value))
        }
        var members: [String: JSONValue] = ["properties": .object(properties)]
        members["id"] = entity.identifier.map { .string($0) }
        members["type"] = entity.type.map { .string($0.rawValue) }
        members["datestamp"] = entity.datestamp.map { .string(DateArgument.text(of: $0)) }
        members["modified"] = entity.modified.map { .string(DateArgument.text(of: $0)) }
        return .object(members)
    }

    /// A table with a line an entry.
    static func lines(_ entries: [PropertyEntry], on screen: Screen = .plain) -> [String] {
        var table = TextTable([
            .left(""), .left("set"), .name("property"), .left("value"), .left("type"),
            .name("device"),
        ])
        for entry in entries {
            let (value, type) = description(of: entry.change)
            table.add([
                entry.isCurrent ? "*" : "", DateArgument.text(of: entry.datestamp),
                entry.key.description, value, type, entry.device,
            ])
        }
        return table.lines(on: screen)
    }

    /// An entry.
    static func json(_ entry: PropertyEntry) -> JSONValue {
        var members: [String: JSONValue] = [
            "key": .string(entry.key.description), "device": .string(entry.device),
            "datestamp": .string(DateArgument.text(of: entry.datestamp)),
            "isCurrent": .bool(entry.isCurrent),
        ]
        if entry.counter != 0 { members["counter"] = .integer(Int64(entry.counter)) }
        switch entry.change {
        case .set(let value): members.merge(Self.members(of: value)) { own, _ in own }
        case .created(let type): members["created"] = .string(type.rawValue)
        case .cleared: members["state"] = "absent"
        case .removed: members["state"] = "removed"
        case .deleted: members["state"] = "deleted"
        }
        return .object(members)
    }

    private static func description(of change: PropertyEntry.Change) -> (
        value: String, type: String
    ) {
        switch change {
        case .set(let value): (value.value.map(text) ?? "", value.type.rawValue)
        case .created(let type): ("(created)", type.rawValue)
        case .cleared: ("(none)", "")
        case .removed: ("(removed)", "")
        case .deleted: ("(deleted)", "")
        }
    }

    private static func members(of value: PropertyValue) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["type": .string(value.type.rawValue)]
        members["value"] = value.value.map(json)
        members["datestamp"] = value.datestamp.map { .string(DateArgument.text(of: $0)) }
        return members
    }

    private static func sortedKeys(of entity: EntityReference) -> [PropertyKey] {
        entity.keys.sorted { $0.description < $1.description }
    }

    private static func text(_ value: Primitive) -> String {
        json(value).stringValue ?? JSONRendering.compact(json(value))
    }

    /// A value without its kind: dates as text, bytes in base64.
    private static func json(_ value: Primitive) -> JSONValue {
        switch value {
        case .integer(let number): .integer(Int64(number))
        case .double(let number): .double(number)
        case .boolean(let flag): .bool(flag)
        case .string(let text), .entity(let text): .string(text)
        case .date(let date): .string(DateArgument.text(of: date))
        case .data(let data): .string(data.base64EncodedString())
        case .list(let elements): .array(elements.map(json))
        case .dictionary(let members): .object(members.mapValues(json))
        }
    }
}
