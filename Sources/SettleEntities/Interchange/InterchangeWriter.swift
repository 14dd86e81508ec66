import Foundation

/// Entities as values of the interchange, all alike whoever writes them.
struct InterchangeWriter {
    let encoder: any InterchangeEncoder

    func value(_ version: EntityVersion) -> InterchangeValue {
        var members: [String: InterchangeValue] = [:]
        members[InterchangeForm.identifier] = identifier(version.id)
        members[InterchangeForm.datestamp] = .dictionary(
            [InterchangeForm.date: encoder.encodePrimitive(Moment.date(version.first.moment))]
                .merging(origin(of: version.first)) { own, _ in own })
        // Creations and deletions are the entries of the type.
        let byKey = Dictionary(grouping: version.elements) {
            $0.key == Register.deletion ? Register.type : $0.key
        }
        for (key, elements) in byKey {
            let entries = elements.map(\.entry).sorted(by: InterchangeForm.isBefore)
                .map { value($0, in: version.first) }
            members[key] =
                entries.count == 1
                ? entries[0] : .dictionary([InterchangeForm.entries: .list(entries)])
        }
        return .dictionary(members)
    }

    private func identifier(_ id: String) -> InterchangeValue {
        // Only a text that is written as UUIDs are comes back as it was.
        if let uuid = UUID(uuidString: id), uuid.uuidString == id {
            return encoder.encodePrimitive(uuid)
        }
        return .string(id)
    }

    private func value(_ entry: Entry, in entity: Stamp) -> InterchangeValue {
        var members: [String: InterchangeValue] = [:]
        switch entry.content {
        case .value(let value, let type):
            if type == nil, entry.stamp == entity, PrimitiveForm.isPlain(value),
                value.kind != .dictionary
            {
                return plain(value)
            }
            members[value.kind.rawValue] = plain(value)
            if let type { members[InterchangeForm.type] = .string(type) }
        default:
            members[InterchangeForm.state] = InterchangeForm.stateNames
                .first { $0.content == entry.content }.map { .string($0.name) }
        }
        if entry.stamp != entity {
            members[InterchangeForm.datestamp] = encoder.encodePrimitive(
                Moment.date(entry.stamp.moment))
            members.merge(origin(of: entry.stamp)) { own, _ in own }
        }
        return .dictionary(members)
    }

    private func origin(of stamp: Stamp) -> [String: InterchangeValue] {
        var members: [String: InterchangeValue] = [:]
        if stamp.counter != 0 { members[InterchangeForm.counter] = .integer(Int(stamp.counter)) }
        if !stamp.device.isEmpty { members[InterchangeForm.device] = .string(stamp.device) }
        return members
    }

    /// A value whose kind is written beside it, or told by JSON.
    private func plain(_ value: Primitive) -> InterchangeValue {
        switch value {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .boolean(let flag): .boolean(flag)
        case .string(let text), .entity(let text): .string(text)
        case .date(let date): encoder.encodePrimitive(date)
        case .data(let data): encoder.encodePrimitive(data)
        case .list(let elements): .list(elements.map(nested))
        case .dictionary(let members): .dictionary(members.mapValues(nested))
        }
    }

    /// A value inside a list or a dictionary.
    private func nested(_ value: Primitive) -> InterchangeValue {
        guard PrimitiveForm.isPlain(value), value.kind != .dictionary else {
            return .dictionary([value.kind.rawValue: plain(value)])
        }
        return plain(value)
    }
}
