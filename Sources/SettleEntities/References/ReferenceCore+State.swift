import Settle

extension ReferenceCore.Resolved {
    /// An entity as an operation has made it.
    init(_ state: EntityState, properties: PropertyDictionary) {
        self = .made(
            Made(
                id: state.id, type: state.type, first: state.first, last: state.lastStamp,
                properties: properties))
    }

    var id: String {
        switch self {
        case .stored(let entity): entity.id
        case .made(let made): made.id
        }
    }

    var type: String {
        switch self {
        case .stored(let entity): entity.type
        case .made(let made): made.type
        }
    }

    var first: Stamp? {
        switch self {
        case .stored(let entity): entity.first
        case .made(let made): made.first
        }
    }

    var last: Stamp? {
        switch self {
        case .stored(let entity): entity.last
        case .made(let made): made.last
        }
    }

    var properties: PropertyDictionary {
        switch self {
        case .stored(let entity): entity.properties
        case .made(let made): made.properties
        }
    }

    func value(of key: PropertyKey) -> Primitive? {
        switch self {
        case .stored(let entity): entity.value(of: key)
        case .made(let made): made.properties[key]
        }
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
