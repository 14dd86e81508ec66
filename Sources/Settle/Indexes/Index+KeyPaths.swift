import SettleDocuments
import SettleIndexing
import SettleStorage

extension Database {
    /// The reduce functions that come with the database.
    public enum BuiltInReduce: String, Sendable, CaseIterable {
        /// The sum of the values; integers stay exact until the sum leaves 64 bits.
        case sum
        /// The number of rows.
        case count
        /// An object of `sum`, `count`, `min`, `max`, and `sumsqr`.
        case stats
        /// The smallest number.
        case min
        /// The largest number.
        case max

        var reducer: BuiltInReducer {
            switch self {
            case .sum: .sum
            case .count: .count
            case .stats: .stats
            case .min: .min
            case .max: .max
            }
        }
    }
}

extension Database.Index {
    /// An index by declaration: which members make the key, and which one is the value.
    ///
    /// The declaration is part of what is compared, so a changed one is built anew without a new
    /// version.
    ///
    /// - Parameters:
    ///   - name: The name queries use.
    ///   - version: Part of the index's version; change it to have the index built anew.
    ///   - keys: The members of the key, each as a path of names from the top of the document.
    ///     One path makes that member the key, and a document without it has no row. Several make
    ///     an array, with null for a member that a document lacks; a document that lacks all of
    ///     them has no row. At least one path.
    ///   - value: The member that is the value; nil for rows without one. With a reduce function
    ///     that works on numbers, a member that is null counts as absent, and is passed over.
    ///   - reduce: Makes one value of many.
    /// - Returns: The index.
    public static func keyPaths(
        name: String, version: String = "1", keys: [[String]], value: [String]? = nil,
        reduce: Database.BuiltInReduce? = nil
    ) -> Database.Index {
        precondition(
            !keys.isEmpty && keys.allSatisfy { !$0.isEmpty } && value?.isEmpty != true,
            "An index by key paths has at least one path, and a path at least one name.")
        let declaration = declaration(keys: keys, value: value, reduce: reduce)
        let isNullAbsent = reduce != nil && reduce != .count
        let definition = IndexDefinition(
            name: name, version: "\(version) \(declaration)",
            reducer: (reduce?.reducer).map { .builtIn($0) }
        ) { id, record, emit in
            guard let key = try key(at: keys, id: id, record.body) else { return }
            let found = try value.flatMap { try member(at: $0, id: id, record.body) }
            emit(EmittedRow(key: key, value: isNullAbsent && found == .null ? nil : found))
        }
        return Database.Index(
            definition,
            map: { document, addIndexRow in
                let body = try? document.packed()
                guard let body, let key = try? key(at: keys, id: document.id, body) else { return }
                let found = value.flatMap { try? member(at: $0, id: document.id, body) }
                addIndexRow(key, isNullAbsent && found == .null ? nil : found)
            },
            reduce: (reduce?.reducer).map { closure(for: $0) })
    }

    private static func key(
        at paths: [[String]], id: String, _ body: PackedValue
    ) throws -> JSONValue? {
        let parts = try paths.map { try member(at: $0, id: id, body) }
        guard parts.contains(where: { $0 != nil }) else { return nil }
        return paths.count == 1 ? parts[0] : .array(parts.map { $0 ?? .null })
    }

    private static func member(
        at path: [String], id: String, _ body: PackedValue
    ) throws -> JSONValue? {
        path == [Document.idMember] ? .string(id) : try body.member(at: path)
    }

    /// The declaration as text, compared to see whether it changed.
    private static func declaration(
        keys: [[String]], value: [String]?, reduce: Database.BuiltInReduce?
    ) -> String {
        func list(_ path: [String]) -> JSONValue { .array(path.map { .string($0) }) }
        let parts: JSONValue = .object([
            "keys": .array(keys.map(list)), "value": value.map(list) ?? .null,
            "reduce": reduce.map { .string($0.rawValue) } ?? .null,
        ])
        return String(decoding: JSONText.text(of: parts), as: UTF8.self)
    }

    private static func closure(for reducer: BuiltInReducer) -> Database.Reduce {
        { keys, values, rereduce in
            do {
                let values = try values.map { try DynamicValue.json($0) }
                let result =
                    rereduce
                    ? try Reducer.builtIn(reducer).rereduce(values.map { $0 ?? .null })
                    : try Reducer.builtIn(reducer).reduce(keys: [], values: values)
                return DynamicValue.any(result)
            } catch {
                return DynamicValue.any(.null)
            }
        }
    }
}
