import Foundation

/// Values of the interchange as entities.
struct InterchangeParser {
    /// Why a value is no entity.
    struct Fault: Error {
        var entity: String?
        var key: String?
        var reason: String
    }

    let decoder: any InterchangeDecoder
    /// The datestamp of entities that have none.
    let moment: Int64

    /// The entity that a value is.
    ///
    /// - Parameter value: An element of the list of entities.
    /// - Returns: The entity, or why it is passed over: it has no identifier, or no type.
    /// - Throws: `Fault` when it is none.
    func version(_ value: InterchangeValue) throws(Fault) -> Result<EntityVersion, Fault> {
        guard case .dictionary(let members) = value else {
            throw Fault(reason: "it is no dictionary")
        }
        guard let identifier = members[InterchangeForm.identifier] else {
            return .failure(Fault(reason: "it has no identifier"))
        }
        guard let id = identifier.string ?? decoder.decodePrimitive(uuid: identifier)?.uuidString
        else {
            throw Fault(key: InterchangeForm.identifier, reason: "the identifier is no text")
        }
        guard let type = members[InterchangeForm.type] else {
            return .failure(Fault(entity: id, reason: "it has no type"))
        }
        var key = InterchangeForm.datestamp
        do {
            let first =
                try members[InterchangeForm.datestamp].map { value throws(Reason) in
                    try self.first(value)
                } ?? Stamp(moment: moment, device: "")
            key = InterchangeForm.type
            var elements = try entries(type, in: first).map { entry throws(Reason) in
                try self.life(entry)
            }
            guard elements.contains(where: { $0.key == Register.type }) else {
                throw Reason(text: "it is never created")
            }
            for (spelled, value) in members where !PropertyKey.guaranteed.contains(spelled) {
                let name = spelled.asKey
                key = name
                for entry in try entries(value, in: first) {
                    guard entry.content != .deleted else {
                        throw Reason(text: "a property cannot be 'deleted'")
                    }
                    elements.append(.init(key: name, entry: entry))
                }
                try EntityRules.checkKey(name, of: id)
            }
            try EntityRules.checkIdentifier(id)
            return .success(EntityVersion(id: id, first: first, elements: elements))
        } catch let error as DatastoreError {
            throw Fault(entity: id, key: error.key, reason: error.message)
        } catch let error as Reason {
            throw Fault(entity: id, key: key, reason: error.text)
        } catch {
            preconditionFailure("Only rules and parts of the interchange can fail here.")
        }
    }

    private struct Reason: Error {
        var text: String
    }

    /// A creation or a deletion.
    private func life(_ entry: Entry) throws(Reason) -> EntityVersion.Element {
        switch entry.content {
        case .deleted: return .init(key: Register.deletion, entry: entry)
        case .value(.string(let type), nil):
            do {
                try EntityRules.check(EntityType(type))
            } catch {
                throw Reason(text: "the type is empty or reserved")
            }
            return .init(key: Register.type, entry: entry)
        default: throw Reason(text: "a type is a text")
        }
    }

    private func first(_ value: InterchangeValue) throws(Reason) -> Stamp {
        guard case .dictionary(let members) = value, let date = members[InterchangeForm.date] else {
            return Stamp(moment: try moment(value), device: "")
        }
        return try stamp(members, at: try moment(date))
    }

    private func stamp(
        _ members: [String: InterchangeValue], at moment: Int64
    ) throws(Reason) -> Stamp {
        var counter: Int64 = 0
        if let value = members[InterchangeForm.counter] {
            guard case .integer(let number) = value, Stamp.counters.contains(Int64(number)) else {
                throw Reason(
                    text:
                        "the counter is no whole number from 0 to \(Stamp.counters.upperBound)")
            }
            counter = Int64(number)
        }
        let device = members[InterchangeForm.device]
        guard device == nil || device?.string != nil else {
            throw Reason(text: "the device is no text")
        }
        return Stamp(moment: moment, counter: counter, device: device?.string ?? "")
    }

    private func moment(_ value: InterchangeValue) throws(Reason) -> Int64 {
        let value = value[InterchangeForm.date] ?? value
        guard let date = decoder.decodePrimitive(date: value),
            let moment = Moment.microseconds(of: date)
        else { throw Reason(text: "the datestamp is no date") }
        return moment
    }

    /// The entries that stand for a key.
    private func entries(
        _ value: InterchangeValue, in entity: Stamp
    ) throws(Reason) -> [Entry] {
        guard case .dictionary(let members) = value, let list = members[InterchangeForm.entries]
        else {
            return [try entry(value, in: entity)]
        }
        guard members.count == 1, case .list(let elements) = list, !elements.isEmpty else {
            throw Reason(text: "'\(InterchangeForm.entries)' stands alone and is a list")
        }
        return try elements.map { element throws(Reason) in try entry(element, in: entity) }
    }

    private func entry(_ value: InterchangeValue, in entity: Stamp) throws(Reason) -> Entry {
        guard case .dictionary(let members) = value else {
            return Entry(content: .value(try storable(value, kind: nil), type: nil), stamp: entity)
        }
        var stamp = entity
        if let datestamp = members[InterchangeForm.datestamp] {
            stamp = try self.stamp(members, at: try moment(datestamp))
        }
        if let state = members[InterchangeForm.state] {
            guard let known = InterchangeForm.stateNames.first(where: { $0.name == state.string })
            else {
                throw Reason(text: "the state is not one of absent, removed and deleted")
            }
            return Entry(content: known.content, stamp: stamp)
        }
        guard let kind = InterchangeForm.kinds.first(where: { members[$0.rawValue] != nil }),
            let tagged = members[kind.rawValue]
        else { throw Reason(text: Self.wrongTag(members)) }
        let type = members[InterchangeForm.type]
        guard type == nil || type?.string?.isEmpty == false else {
            throw Reason(text: "the type is no text, or empty")
        }
        let primitive = try storable(tagged, kind: kind)
        return Entry(
            content: .value(primitive, type: type?.string == kind.rawValue ? nil : type?.string),
            stamp: stamp)
    }

    private static func wrongTag(_ members: [String: InterchangeValue]) -> String {
        "there is no kind of value among the names " + members.keys.sorted().joined(separator: ", ")
    }

    /// The value of a kind that is known, or that JSON tells, if it can be stored.
    private func storable(
        _ value: InterchangeValue, kind: Primitive.Kind?
    ) throws(Reason) -> Primitive {
        let primitive = try plain(value, kind: kind)
        do throws(PrimitiveForm.Fault) {
            return try primitive.storable()
        } catch {
            throw Reason(text: error.reason)
        }
    }

    /// The value of a kind that is known, or that JSON tells.
    private func plain(
        _ value: InterchangeValue, kind: Primitive.Kind?
    ) throws(Reason) -> Primitive {
        switch (kind, value) {
        case (nil, .integer(let number)), (.integer, .integer(let number)): return .integer(number)
        case (.double, .integer(let number)): return .double(Double(number))
        case (nil, .double(let number)), (.double, .double(let number)): return .double(number)
        case (nil, .boolean(let flag)), (.boolean, .boolean(let flag)): return .boolean(flag)
        case (nil, .string(let text)), (.string, .string(let text)), (.entity, .string(let text)):
            return kind == .entity ? .entity(text) : .string(text)
        case (.entity, _):
            if let uuid = decoder.decodePrimitive(uuid: value) { return .entity(uuid.uuidString) }
        case (.date, _), (nil, .date):
            if let date = decoder.decodePrimitive(date: value),
                let moment = Moment.microseconds(of: date)
            {
                return .date(Moment.date(moment))
            }
        case (.data, _), (nil, .data):
            if let data = decoder.decodePrimitive(data: value) { return .data(data) }
        case (nil, .list(let elements)), (.list, .list(let elements)):
            return .list(try elements.map { element throws(Reason) in try nested(element) })
        case (.dictionary, .dictionary(let members)):
            var values: [String: Primitive] = [:]
            for (name, member) in members { values[name] = try nested(member) }
            return .dictionary(values)
        default: break
        }
        throw Reason(
            text: kind.map { "the value is no \($0.rawValue)" } ?? "the value is of no kind")
    }

    /// A value inside a list or a dictionary.
    private func nested(_ value: InterchangeValue) throws(Reason) -> Primitive {
        guard case .dictionary(let members) = value else { return try plain(value, kind: nil) }
        guard members.count == 1, let (name, content) = members.first,
            let kind = Primitive.Kind(rawValue: name)
        else { throw Reason(text: Self.wrongTag(members)) }
        return try plain(content, kind: kind)
    }
}
