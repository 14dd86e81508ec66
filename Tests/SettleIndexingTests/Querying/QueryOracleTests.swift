import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

/// Every answer is compared with one worked out the plain way: map all, sort all, fold all.
@Suite struct `Queries over random documents` {
    private static let collator = Collator(.unicode)

    private struct Row {
        let key: JSONValue
        let value: JSONValue?
        let id: String
    }

    /// One row for each element of `keys`, with the element of `values` at the same place.
    private static func map(_ members: [String: JSONValue]) -> [EmittedRow] {
        guard case .array(let keys)? = members["keys"], case .array(let values)? = members["values"]
        else { return [] }
        return zip(keys, values).map { EmittedRow(key: $0, value: $1) }
    }

    private static func definition(_ reducer: Reducer?, version: String = "1") -> IndexDefinition {
        IndexDefinition(name: "test", version: version, reducer: reducer) { _, record, emit in
            guard case .object(let members) = try record.body.value() else { return }
            for row in map(members) { emit(row) }
        }
    }

    private func randomKey(_ random: inout SeededGenerator) -> JSONValue {
        func scalar() -> JSONValue {
            switch Int.random(in: 0..<7, using: &random) {
            case 0: .null
            case 1: .bool(Bool.random(using: &random))
            case 2: .integer(.random(in: -2...2, using: &random))
            case 3: .double(Double(Int.random(in: -3...3, using: &random)) / 2)
            default: .string(["", "a", "A", "b", "é", "aa"].randomElement(using: &random) ?? "")
            }
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in scalar() })
        }
        return scalar()
    }

    private func randomMembers(_ random: inout SeededGenerator) -> [String: JSONValue] {
        let count = Int.random(in: 0...4, using: &random)
        return [
            "keys": .array((0..<count).map { _ in randomKey(&random) }),
            "values": .array(
                (0..<count).map { _ in .integer(.random(in: -9...9, using: &random)) }),
        ]
    }

    private func rows(_ documents: [String: [String: JSONValue]]) -> [Row] {
        documents.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .flatMap { id, members in
                Self.map(members).map { Row(key: $0.key, value: $0.value, id: id) }
            }
            .map { (Self.collator.key(for: $0.key), $0) }
            // Stable, so rows with equal keys stay in the order of documents and emits.
            .enumerated().sorted { left, right in
                left.element.0 == right.element.0
                    ? left.offset < right.offset
                    : left.element.0.lexicographicallyPrecedes(right.element.0)
            }.map(\.element.1)
    }

    private func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
        let (first, second) = (Self.collator.key(for: left), Self.collator.key(for: right))
        return first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
    }

    private func answer(_ query: IndexQuery, _ all: [Row]) -> [IndexRow] {
        func isInside(_ row: Row, _ bound: IndexQuery.KeyBound?, isLower: Bool) -> Bool {
            guard let bound else { return true }
            var order = compare(row.key, bound.key)
            if order == 0, let id = bound.documentID, id != row.id {
                order = Array(row.id.utf8).lexicographicallyPrecedes(Array(id.utf8)) ? -1 : 1
            }
            return order == 0 ? bound.isInclusive : (order > 0) == isLower
        }
        var selected: [(part: Int, row: Row)] = []
        switch query.selection {
        case .range(let start, let end):
            let (low, high) = query.isDescending ? (end, start) : (start, end)
            selected = all.filter {
                isInside($0, low, isLower: true) && isInside($0, high, isLower: false)
            }.map { (0, $0) }
            if query.isDescending { selected.reverse() }
        case .keys(let keys):
            for (part, key) in keys.enumerated() {
                let equal = all.filter { compare($0.key, key) == 0 }.map { (part, $0) }
                selected += query.isDescending ? equal.reversed() : equal
            }
        }
        var result: [IndexRow] = []
        if query.summary == .rows {
            result = selected.map {
                IndexRow(documentID: $0.row.id, key: $0.row.key, value: $0.row.value)
            }
        } else {
            var groups: [(part: Int, identity: [UInt8], key: JSONValue?, sum: Int64)] = []
            for (part, row) in selected {
                let key: JSONValue? =
                    switch (query.summary, row.key) {
                    case (.total, _): nil
                    case (.firstElements(let count), .array(let elements)):
                        .array(Array(elements.prefix(count)))
                    default: row.key
                    }
                // A cut array and a whole one of the same elements are one group.
                let identity = key.map { Self.collator.key(for: $0) } ?? []
                guard case .integer(let number)? = row.value else { continue }
                // Each key of a list is answered by itself, unless all rows make one.
                let isSamePart = key == nil || groups.last?.part == part
                if isSamePart, groups.last?.identity == identity, !groups.isEmpty {
                    groups[groups.count - 1].sum += number
                } else {
                    groups.append((part, identity, key, number))
                }
            }
            result = groups.map {
                IndexRow(documentID: nil, key: $0.key, value: .integer($0.sum))
            }
        }
        return Array(result.dropFirst(query.skip).prefix(query.limit ?? .max))
    }

    /// Up to four keys, often one of them twice.
    private func randomKeys(_ random: inout SeededGenerator) -> [JSONValue] {
        var keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in randomKey(&random) }
        if let key = keys.randomElement(using: &random), Bool.random(using: &random) {
            keys.insert(key, at: Int.random(in: 0...keys.count, using: &random))
        }
        return keys
    }

    private func randomQuery(_ random: inout SeededGenerator) -> IndexQuery {
        func bound() -> IndexQuery.KeyBound? {
            guard Int.random(in: 0..<3, using: &random) > 0 else { return nil }
            return IndexQuery.KeyBound(
                key: randomKey(&random),
                documentID: Int.random(in: 0..<3, using: &random) == 0
                    ? "d\(Int.random(in: 0..<30, using: &random))" : nil,
                isInclusive: Bool.random(using: &random))
        }
        let selection: IndexQuery.Selection =
            Int.random(in: 0..<3, using: &random) == 0
            ? .keys(randomKeys(&random))
            : .range(start: bound(), end: bound())
        let summaries: [IndexQuery.Summary] = [
            .rows, .total, .exactKeys, .firstElements(1), .firstElements(2),
        ]
        return IndexQuery(
            selection: selection, isDescending: Bool.random(using: &random),
            skip: Int.random(in: 0..<3, using: &random) == 0 ? 2 : 0,
            limit: Int.random(in: 0..<3, using: &random) == 0
                ? Int.random(in: 0...5, using: &random) : nil,
            summary: summaries.randomElement(using: &random) ?? .rows)
    }

    /// In small steps, so that an update is often taken up where one left off.
    private func bringUpToDate(_ builder: IndexBuilder, _ store: Store) async throws {
        let target = try store.read("test") { $0.lastSequence }
        while try await store.write({ try builder.step(in: $0, changeCountMax: 7) }) < target {}
    }

    private static let customSum = Reducer.custom { _, values, _ in
        .integer(
            values.reduce(0) { sum, value in
                if case .integer(let number)? = value { sum + number } else { sum }
            })
    }

    @Test(arguments: [true, false])
    func `equal those of a naive oracle`(isBuiltIn: Bool) async throws {
        var random = SeededGenerator()
        let seed = random.description
        let directory = try ScratchDirectory("queries")
        let store = try Store(
            directory: directory.path, options: StoreOptions(), create: true,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
        defer { store.close() }
        let definition = Self.definition(isBuiltIn ? .builtIn(.sum) : Self.customSum)
        let builder = IndexBuilder(definition)
        var documents: [String: [String: JSONValue]] = [:]
        for _ in 0..<12 {
            for _ in 0..<15 {
                let id = "d\(Int.random(in: 0..<30, using: &random))"
                let isDeleted = Int.random(in: 0..<5, using: &random) == 0
                let members = randomMembers(&random)
                documents[id] = isDeleted ? nil : members
                let packed = try PackedValue(.object(members))
                try await store.write {
                    _ = try $0.put(
                        id, body: packed, isDeleted: isDeleted, precondition: .none, origin: nil)
                }
            }
            try await bringUpToDate(builder, store)
            let all = rows(documents)
            #expect(
                try store.read("test") { try IndexState(name: "test", in: $0) }?.rowCount
                    == Int64(all.count), "\(seed)")
            for _ in 0..<60 {
                let query = randomQuery(&random)
                let found = try store.read("test") {
                    try QueryRunner(definition, in: $0).run(query)
                }
                #expect(found == answer(query, all), "\(seed), \(query)")
            }
        }
    }

    @Test func `are answered over many runs by a real rereduce`() async throws {
        let directory = try ScratchDirectory("queries")
        let store = try Store(
            directory: directory.path, options: StoreOptions(), create: true,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
        defer { store.close() }
        let keys = JSONValue.array((0..<450).map { .integer($0) })
        let packed = try PackedValue(.object(["keys": keys, "values": keys]))
        try await store.write {
            _ = try $0.put("d", body: packed, precondition: .none, origin: nil)
        }
        // Concatenation shows the order, and marks show which calls were rereduces.
        let definition = Self.definition(
            .custom { keys, values, rereduce in
                #expect(rereduce == keys.isEmpty)
                let parts = values.map { value in
                    switch value {
                    case .string(let text)?: text
                    case .integer(let number)?: "\(number)"
                    default: "?"
                    }
                }
                return .string(
                    rereduce ? "(\(parts.joined(separator: "+")))" : parts.joined(separator: ","))
            })
        let builder = IndexBuilder(definition)
        try await bringUpToDate(builder, store)
        let found = try store.read("test") {
            try QueryRunner(definition, in: $0).run(IndexQuery(summary: .total))
        }
        let runs = stride(from: 0, to: 450, by: 100).map { start in
            (start..<min(start + 100, 450)).map { "\($0)" }.joined(separator: ",")
        }
        #expect(found.map(\.value) == [.string("(\(runs.joined(separator: "+")))")])
    }

    @Test func `see nothing of an older version of the index`() async throws {
        let directory = try ScratchDirectory("queries")
        let store = try Store(
            directory: directory.path, options: StoreOptions(), create: true,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
        defer { store.close() }
        let packed = try PackedValue(.object(["keys": ["a", "b"], "values": [1, 2]]))
        try await store.write {
            _ = try $0.put("d", body: packed, precondition: .none, origin: nil)
        }
        let old = IndexBuilder(Self.definition(nil))
        #expect(try await store.write { try old.step(in: $0, changeCountMax: 10) } == 1)
        let changed = IndexDefinition(name: "test", version: "2", reducer: nil) { id, _, emit in
            emit(EmittedRow(key: .string("new"), value: nil))
        }
        let new = IndexBuilder(changed)
        #expect(try await store.write { try new.step(in: $0, changeCountMax: 10) } == 1)
        let rows = try store.read("test") {
            try QueryRunner(changed, in: $0).run(IndexQuery())
        }
        #expect(rows == [IndexRow(documentID: "d", key: "new", value: nil)])
        try await store.write { try IndexBuilder.remove(name: "test", in: $0) }
        #expect(try store.read("test") { try IndexState(name: "test", in: $0) } == nil)
        #expect(throws: IndexError.notBuilt(name: "test")) {
            try store.read("test") { _ = try QueryRunner(changed, in: $0) }
        }
    }
}
