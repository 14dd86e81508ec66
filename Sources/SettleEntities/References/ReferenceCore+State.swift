import Settle

extension ReferenceCore.Resolved {
    /// An entity as an operation has read it.
    init(_ state: EntityState, properties: PropertyDictionary) {
        self.init(
            id: state.id, type: state.type, added: Moment.date(state.first.moment),
            modified: Moment.date(state.lastStamp.moment), properties: properties)
    }
}

extension EntityState {
    /// A property as it is shown; nil when there is none.
    func shown(_ key: String) -> PropertyValue? {
        if let entry = value(of: key) { return PropertyValue(entry) }
        switch key {
        case PropertyKey.identifier.name:
            return PropertyValue(
                .string(id), type: .identifier, datestamp: Moment.date(first.moment))
        case PropertyKey.type.name:
            return entries[Register.type].flatMap { PropertyValue($0) }
        case PropertyKey.datestamp.name:
            let date = Moment.date(first.moment)
            return PropertyValue(.date(date), datestamp: date)
        case PropertyKey.modified.name:
            let date = Moment.date(lastStamp.moment)
            return PropertyValue(.date(date), datestamp: date)
        default:
            return nil
        }
    }

    /// The properties of some keys, or all that are the entity's own.
    func properties(_ keys: Set<String>?) -> PropertyDictionary {
        var properties: [PropertyKey: PropertyValue] = [:]
        for key in keys ?? Set(entries.keys) {
            let shown = keys == nil ? value(of: key).flatMap { PropertyValue($0) } : shown(key)
            if let shown { properties[PropertyKey(key)] = shown }
        }
        return PropertyDictionary(properties)
    }
}

extension PropertyValue {
    /// The value that an entry says; nil when it says none.
    init?(_ entry: Entry) {
        guard case .value(let value, let type) = entry.content else { return nil }
        self.init(
            value, type: type.map { PropertyType($0) }, datestamp: Moment.date(entry.stamp.moment))
    }
}
