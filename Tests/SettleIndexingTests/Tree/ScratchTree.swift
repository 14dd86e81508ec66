import SettleDocuments
import SettleIndexing
import SettlePrimitives
import SettleStorage
import Testing
import TestSupport

/// A store of its own for trees, each in a table of its own.
final class ScratchTree: Sendable {
    private let directory: ScratchDirectory
    let store: Store
    let rule: ChunkBoundaryRule
    let reducer: IndexReducer?
    let storesLevels: Bool

    init(
        _ rule: ChunkBoundaryRule = .standard, reducer: IndexReducer? = .builtIn(.sum),
        storesLevels: Bool = true
    ) throws {
        directory = try ScratchDirectory("tree")
        self.rule = rule
        self.reducer = reducer
        self.storesLevels = storesLevels
        store = try Store(
            directory: directory.path, options: StoreOptions(isFlushedAtCommit: false),
            create: true, clock: { Timestamp(microseconds: 0) }, publish: { _ in })
    }

    deinit { store.close() }

    /// A rule with which a few dozen entries make several levels.
    static let small = ChunkBoundaryRule(leafLength: 60, childCount: 2, boundaryLength: 5)

    func tree(_ table: OrderedTable) -> SummaryTree {
        SummaryTree(
            table, reducer: reducer, storesLevels: storesLevels, rule: rule, place: "the test")
    }

    @discardableResult
    func write<Value: Sendable>(
        _ name: String = "tree", _ body: @escaping @Sendable (SummaryTree) throws -> Value
    ) async throws -> Value {
        try await store.write { [self] transaction in
            try body(tree(try transaction.createTable(named: name)))
        }
    }

    @discardableResult
    func writeTable<Value: Sendable>(
        _ name: String = "tree", _ body: @escaping @Sendable (OrderedTable) throws -> Value
    ) async throws -> Value {
        try await store.write { try body(try $0.createTable(named: name)) }
    }

    @discardableResult
    func apply(_ edits: [TreeEdit], to name: String = "tree") async throws -> Int {
        try await write(name) { try $0.apply(edits) }
    }

    /// Fills a table in transactions of so many entries each.
    func append(
        _ entries: [TreeEntry], to name: String = "tree", batch: Int = .max
    ) async throws {
        var start = 0
        while start < entries.count {
            let end = start + min(batch, entries.count - start)
            let part = Array(entries[start..<end])
            try await write(name) { tree in
                let appender = tree.appender()
                for entry in part {
                    try appender.append(
                        key: entry.key.span, head: entry.head.span, tail: entry.tail.span)
                }
                try appender.flush()
            }
            start = end
        }
        try await write(name) { try $0.finishAppending() }
    }

    func read<Value>(_ name: String = "tree", _ body: (SummaryTree) throws -> Value) throws -> Value
    {
        try store.read("test") { snapshot in
            let table = try #require(try snapshot.table(named: name))
            return try body(tree(table))
        }
    }

    /// All rows of the table, keys and values.
    func rows(_ name: String = "tree") throws -> [Row] {
        try store.read("test") { snapshot in
            try snapshot.table(named: name).map { try Self.rows(of: $0) } ?? []
        }
    }

    /// All rows of a table, keys and values.
    static func rows(of table: OrderedTable) throws -> [Row] {
        var rows: [Row] = []
        try table.forEach { key, value in
            rows.append(Row(key: key.rest(from: 0), value: value.rest(from: 0)))
            return true
        }
        return rows
    }

    struct Row: Equatable, Sendable {
        let key: [UInt8]
        var value: [UInt8]
    }

    /// What the check has to say.
    func findings(_ name: String = "tree", checksReductions: Bool = true) throws -> [String] {
        var found: [String] = []
        try read(name) { tree in
            try tree.check(
                checksReductions: checksReductions, report: { found.append($0) }, advance: { _ in })
        }
        return found
    }
}

/// Makes entries that look like rows of an index.
struct RandomEntries {
    var random: SeededGenerator

    /// Short keys of few different bytes, long ones that share most of theirs, and some in between.
    mutating func key() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let length = [3, 250, 498, 505, 600].randomElement(using: &random) ?? 3
            return [UInt8](repeating: 7, count: length) + bytes(4) + [0]
        case 1: return bytes(Int.random(in: 1...40, using: &random)) + [0]
        default: return bytes(Int.random(in: 1...7, using: &random)) + [0]
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in [1, 5, 7, 9, 0xFE].randomElement(using: &random) ?? 1 }
    }

    /// A packed key, the same for many entries, and seldom something large.
    mutating func head() throws -> [UInt8] {
        let isLarge = Int.random(in: 0..<40, using: &random) == 0
        let length = Int.random(in: 0..<(isLarge ? 5000 : 3), using: &random)
        return try PackedValue(.string(String(repeating: "h", count: length))).bytes
    }

    /// A packed number, now and then nothing.
    mutating func tail() throws -> [UInt8] {
        if Int.random(in: 0..<10, using: &random) == 0 { return [] }
        return try PackedValue(.integer(Int64.random(in: -1000...1000, using: &random))).bytes
    }

    /// Distinct entries in ascending order.
    mutating func entries(_ count: Int) throws -> [TreeEntry] {
        var entries: [[UInt8]: TreeEntry] = [:]
        while entries.count < count {
            let key = key()
            entries[key] = TreeEntry(key: key, head: try head(), tail: try tail())
        }
        return entries.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}

extension Array where Element == TreeEntry {
    /// The edits that insert these entries, in the order that a change needs.
    var insertions: [TreeEdit] {
        sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { TreeEdit(key: $0.key, entry: ($0.head, $0.tail)) }
    }

    /// The edits that remove these entries.
    var removals: [TreeEdit] {
        sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { TreeEdit(key: $0.key, entry: nil) }
    }
}
