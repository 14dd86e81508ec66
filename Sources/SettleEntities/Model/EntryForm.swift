import Settle
import SettlePrimitives

/// Entries as JSON: in the entity's document, and in the documents of the history.
///
/// In the document of an entity a value stands under `properties`, and what else there is to say of its entry under
/// `entries`. The stamp is left out where it is that with which the entity was first added, and the device where it is
/// the one that added the entity; so an entity that never changed says both once.
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
        var members = membersBesideValue(of: content)
        members[EntityFormat.value] = value(of: content)
        return members
    }

    /// The value that an entry says.
    static func value(of content: EntryContent) -> JSONValue? {
        guard case .value(let value, _) = content else { return nil }
        return PrimitiveForm.json(value)
    }

    private static func membersBesideValue(of content: EntryContent) -> [String: JSONValue] {
        guard case .value(let value, let type) = content else {
            guard let name = stateNames.first(where: { $0.content == content })?.name else {
                preconditionFailure("Every state has a name.")
            }
            return [EntityFormat.state: .string(name)]
        }
        var members: [String: JSONValue] = [:]
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
        if !stamp.device.hasSameBytes(as: entity?.device ?? "") {
            members[EntityFormat.device] = .string(stamp.device)
        }
        return members
    }

    /// An entry, as it stands alone.
    static func json(_ entry: Entry) -> JSONValue {
        .object(
            members(of: entry.content)
                .merging(members(of: entry.stamp)) { content, _ in content })
    }

    /// What there is to say of an entry in the document of its entity, beside its value; nil for nothing.
    static func note(of entry: Entry, in entity: Stamp) -> JSONValue? {
        var members = membersBesideValue(of: entry.content)
        if entry.stamp != entity {
            members.merge(self.members(of: entry.stamp, in: entity)) { content, _ in content }
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// What the members of an entry say.
    static func content(_ members: [String: JSONValue]) throws(Fault) -> EntryContent {
        try content(value: members[EntityFormat.value], members)
    }

    /// What a value, and the members beside it, say.
    private static func content(
        value: JSONValue?, _ members: [String: JSONValue]
    ) throws(Fault) -> EntryContent {
        guard let json = value else {
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
            moment: moment, counter: try counter(members[EntityFormat.counter]),
            device: members[EntityFormat.device]?.stringValue ?? entity?.device ?? "")
    }

    private static func counter(_ json: JSONValue?) throws(Fault) -> Int64 {
        let number: Int64? =
            switch json {
            case nil: 0
            case .integer(let number): number
            // Some systems hand a whole number back as a double.
            case .double(let number): Int64(exactly: number)
            default: nil
            }
        guard let number, Stamp.counters.contains(number) else {
            throw Fault(
                reason: "its counter is no whole number from 0 to \(Stamp.counters.upperBound)")
        }
        return number
    }

    /// An entry with its value and all else: a superseded one, or one in the first layout of entities.
    ///
    /// - Parameters:
    ///   - json: The entry.
    ///   - entity: When the entity was first added, where the entry leaves out what that says; nil when it stands alone.
    /// - Returns: The entry.
    /// - Throws: ``Fault`` when it is none.
    static func entry(_ json: JSONValue, in entity: Stamp? = nil) throws(Fault) -> Entry {
        guard case .object(let members) = json else { throw Fault(reason: "it is no object") }
        return Entry(content: try content(members), stamp: try stamp(members, in: entity))
    }

    /// An entry in the document of its entity, in the current layout.
    ///
    /// - Parameters:
    ///   - value: The value; nil for none.
    ///   - note: What is said of it; nil for nothing.
    ///   - entity: When the entity was first added.
    /// - Returns: The entry.
    /// - Throws: ``Fault`` when they are none.
    static func entry(
        value: JSONValue?, note: JSONValue?, in entity: Stamp
    ) throws(Fault) -> Entry {
        guard let note else {
            return Entry(content: try content(value: value, [:]), stamp: entity)
        }
        guard case .object(let members) = note else {
            throw Fault(reason: "what is said of it is no object")
        }
        return Entry(
            content: try content(value: value, members), stamp: try stamp(members, in: entity))
    }
}
