import Settle
import SettlePrimitives

/// The index of a datastore: entities that are not deleted, by type, value, relationship and last change.
///
/// It is one index with four kinds of rows, because mapping a document once is cheaper than four times: those of values
/// have a number as their key, and the others are told apart by the first element of theirs. Rows are counted in the
/// index, so that a count by type is O(log n).
enum EntityIndex {
    static let name = "entities"

    private static let typeMark = "t"
    private static let relationMark = "r"
    private static let changeMark = "m"

    static let index = Database.Index.views(
        name: name, version: "3", collation: .raw, builtInReduce: .count
    ) { view, rows in
        guard let layout = try view.integer(EntityFormat.format),
            let type = try view.string(EntityFormat.type), type != EntityFormat.entryType,
            try view.bool(EntityFormat.isDeleted) != true,
            let first = try view.string(EntityFormat.datestamp)
        else { return }
        try rows.emit(typeMark, type)
        let modified = try view.string(EntityFormat.modified) ?? first
        try rows.emit(changeMark, Moment.microseconds(of: modified))
        // What a newer release has written is listed, so that it is not overlooked, and refused by who reads it.
        guard layout <= EntityFormat.current else { return }
        let properties = try view.json(EntityFormat.properties)?.objectValue ?? [:]
        let notes = try view.json(EntityFormat.entries)?.objectValue ?? [:]
        for (key, json) in properties {
            let isNested = layout == EntityFormat.nested
            guard let value = isNested ? json[EntityFormat.value] : json else { continue }
            try rows.emit(ValueKey.number(stored: value, for: key.asKey))
            let kind = (isNested ? json : notes[key])?[EntityFormat.kind]?.stringValue
            for target in targets(of: value, kind: kind) {
                try rows.emit(relationMark, target.text, key)
            }
        }
    }

    /// The entities that a value as it is stored refers to, each once; none where it cannot be read.
    private static func targets(of value: JSONValue, kind: String?) -> Set<ExactText> {
        switch value {
        case .string(let target) where kind == Primitive.Kind.entity.rawValue:
            return [ExactText(target)]
        case .array, .object:
            guard let value = try? PrimitiveForm.value(value, kind: nil) else { return [] }
            return Set(value.entities.map { ExactText($0) })
        default: return []
        }
    }

    /// The entities of a type.
    static func ofType(_ type: String) -> QueryByKeyRange { exactly([typeMark, type]) }

    /// The types, with their counts when grouped.
    static var types: QueryByKeyRange { QueryByKeyRange(prefix: [typeMark]) }

    /// The type of a row of ``types``.
    static func type(ofKey key: JSONValue) -> String? { key[1]?.stringValue }

    /// The entities that may have values of keys, by the numbers of those (``ValueKey``).
    static func having(_ numbers: some Sequence<Int64>) -> QueryByKeyList {
        var query = QueryByKeyList()
        query.keysJSON = numbers.sorted().map { .integer($0) }
        query.reduce = false
        return query
    }

    /// The entities with a value that is a given entity.
    static func referring(to identifier: String) -> QueryByKeyRange {
        var query = QueryByKeyRange(prefix: [relationMark, identifier])
        query.reduce = false
        return query
    }

    /// The entities whose last change is not before a moment.
    static func changed(since moment: Int64) -> QueryByKeyRange {
        var query = QueryByKeyRange(
            startKey: [changeMark, Int(moment)] as [Any],
            endKey: [changeMark, [:] as [String: Any]] as [Any])
        query.reduce = false
        return query
    }

    private static func exactly(_ key: [String]) -> QueryByKeyRange {
        QueryByKeyRange(startKey: key, endKey: key)
    }
}
