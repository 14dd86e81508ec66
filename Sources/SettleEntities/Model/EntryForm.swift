import Settle

/// Entries as JSON: under `properties` of the entity's document, and in the documents of the history.
///
/// In the document of an entity the stamp is left out where it is that with which the entity was first added, and
/// the device where it is the one that added the entity; so an entity that never changed says both once.
enum EntryForm {
    /// Why something is no entry.
    struct Fault: Error {
        var reason: String
    }

    private static let stateNames: [(content: EntryContent, name: String)] = [
        (.absent, "absent"), (.removed, "removed"), (.deleted, "deleted"),
    ]

    /// The members that say what an entry says.
    static func members(of content: EntryContent) -> [String: JSONValue] {
        guard case .value(let value, let type) = content else {
            guard let name = stateNames.first(where: { $0.content == content })?.name else {
                preconditionFailure("Every state has a name.")
            }
            return [EntityFormat.state: .string(name)]
        }
        var members = [EntityFormat.value: PrimitiveForm.json(value)]
        if !PrimitiveForm.isPlain(value) {
            members[EntityFormat.kind] = .string(value.kind.rawValue)
        }
        if let type { members[EntityFormat.type] = .string(type) }
        return members
    }

    /// What decides between two entries of the same stamp, by its bytes.
    static func sortKey(of content: EntryContent) -> [UInt8] {
        Array(JSONValue.object(members(of: content)).jsonText.utf8)
    }

    /// The members that say when an entry was made; none when it was with the entity.
    static func members(
        of stamp: Stamp, in entity: Stamp? = nil
    ) -> [String: JSONValue] {
        if stamp == entity { return [:] }
        var members = [EntityFormat.datestamp: JSONValue.string(Moment.text(stamp.moment))]
        if stamp.counter != 0 { members[EntityFormat.counter] = .integer(stamp.counter) }
        if stamp.device != entity?.device ?? "" {
            members[EntityFormat.device] = .string(stamp.device)
        }
        return members
    }

    /// An entry.
    static func json(_ entry: Entry, in entity: Stamp? = nil) -> JSONValue {
        .object(
            members(of: entry.content)
                .merging(members(of: entry.stamp, in: entity)) { content, _ in content })
    }

    /// What the members of an entry say.
    static func content(_ members: [String: JSONValue]) throws(Fault) -> EntryContent {
        guard let json = members[EntityFormat.value] else {
            let name = members[EntityFormat.state]?.stringValue
            guard let state = stateNames.first(where: { $0.name == name }) else {
                throw Fault(reason: "it has neither a value nor a state that is known")
            }
            return state.content
        }
        var kind: Primitive.Kind?
        if let name = members[EntityFormat.kind] {
            kind = name.stringValue.flatMap { Primitive.Kind(rawValue: $0) }
            if kind == nil { throw Fault(reason: "its kind of value is not known") }
        }
        do throws(PrimitiveForm.Fault) {
            return .value(
                try PrimitiveForm.value(json, kind: kind),
                type: members[EntityFormat.type]?.stringValue)
        } catch {
            throw Fault(reason: error.reason)
        }
    }

    /// When the members of an entry say that it was made.
    static func stamp(
        _ members: [String: JSONValue], in entity: Stamp? = nil
    ) throws(Fault) -> Stamp {
        guard let datestamp = members[EntityFormat.datestamp] else {
            if let entity { return entity }
            throw Fault(reason: "it has no datestamp")
        }
        guard let moment = datestamp.stringValue.flatMap(Moment.microseconds(of:)) else {
            throw Fault(reason: "its datestamp is no date")
        }
        return Stamp(
            moment: moment, counter: members[EntityFormat.counter]?.integerValue ?? 0,
            device: members[EntityFormat.device]?.stringValue ?? entity?.device ?? "")
    }

    /// An entry.
    static func entry(_ json: JSONValue, in entity: Stamp? = nil) throws(Fault) -> Entry {
        guard case .object(let members) = json else { throw Fault(reason: "it is no object") }
        return Entry(content: try content(members), stamp: try stamp(members, in: entity))
    }
}
