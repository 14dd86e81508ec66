import SettleDocuments
import SettlePrimitives
import SettleStorage
import Synchronization
import TestSupport
import Testing

@testable import Settle

@Suite(.serialized) struct `A check looks into every table` {
    private static let indexes: [any Indexer] = [
        Database.Index.keyPaths(name: "declared", keys: [["n"]]),
        Database.Index(name: "byClosure", version: "1") { document, addIndexRow in
            if document["n"] as? Int == 7 { throw Unmappable() }
            addIndexRow(document["n"], nil)
        },
    ]

    private struct Unmappable: Error {}

    /// A database with indexes, one of which has an error, and a side table.
    private func withFilledDatabase(_ body: (Database) async throws -> Void) async throws {
        try await withDatabase(indexes: Self.indexes) { database async throws in
            try await database.addNumbers(0..<500)
            for index in Self.indexes { try await database.buildIndex(named: index.name) }
            try await database.write { transaction in
                try transaction.sideTable(named: "own").set([1], for: [1])
            }
            try await body(database)
        }
    }

    @Test func `and finds nothing in a sound database`() async throws {
        try await withFilledDatabase { database async throws in
            #expect(try await database.check() == [])
            #expect(try await database.check(isDeep: false) == [])
        }
    }

    /// What is done to a table behind the database's back, and where it must be found.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        var isFoundByDeepChecksAlone = false
        let apply: @Sendable (StoreTransaction) throws -> Void

        private static func slot(_ index: String, _ transaction: StoreTransaction) throws -> Int {
            let views = try transaction.table(named: "views")
            return try views?.value(for: Array(index.utf8) + [0, 0]) == nil ? 1 : 0
        }

        /// Changes a table of an index.
        private static func table(
            _ part: String, of index: String,
            _ apply: @escaping @Sendable (OrderedTable) throws -> Void
        ) -> @Sendable (StoreTransaction) throws -> Void {
            { transaction in
                let slot = try slot(index, transaction)
                try apply(transaction.createTable(named: "view/\(index)/\(slot)/\(part)"))
            }
        }

        static let all = [
            Damage(
                testDescription: "an error of an index that cannot be read",
                place: "index 'byClosure'",
                apply: table("side", of: "byClosure") { side in
                    try side.set([9], for: Array("e10007".utf8))
                }),
            Damage(
                testDescription: "a lost error of an index", place: "index 'byClosure'",
                apply: table("side", of: "byClosure") { try $0.removeAll() }),
            Damage(
                testDescription: "a run without a build", place: "index 'declared'",
                apply: table("side", of: "declared") { side in
                    try side.set([0], for: Array("s".utf8) + [UInt8](repeating: 0, count: 8))
                }),
            Damage(
                testDescription: "a row of no kind beside an index", place: "index 'declared'",
                apply: table("side", of: "declared") { try $0.set([1], for: [1]) }),
            Damage(
                testDescription: "rows of an index that is not there",
                place: "table 'view/gone/0/rows'"
            ) { try $0.createTable(named: "view/gone/0/rows").set([1], for: [1]) },
            Damage(
                testDescription: "a key of a side table that is too long", place: "side table 'own'"
            ) {
                try $0.createTable(named: "side/own")
                    .set([1], for: [UInt8](repeating: 1, count: 500))
            },
            Damage(
                testDescription: "a document that its index does not have as it is",
                place: "index 'declared'", isFoundByDeepChecksAlone: true
            ) { transaction in
                // The index stays behind by nothing: it takes the change for one it has seen.
                let views = try transaction.createTable(named: "views")
                let key = Array("declared".utf8) + [0, UInt8(try slot("declared", transaction))]
                let state = try #require(try views.value(for: key))
                let before = transaction.lastSequence
                try transaction.put(
                    "10003", body: PackedValue(.object(["n": .integer(4_000)])),
                    precondition: .none, origin: nil)
                guard case .object(var moved) = try PackedValue(stored: state).value() else {
                    throw Unmappable()
                }
                #expect(moved["sequence"] == .integer(Int64(before)))
                moved["sequence"] = .integer(Int64(transaction.lastSequence))
                try views.set(PackedValue(.object(moved)).bytes, for: key)
            },
        ]
    }

    @Test(arguments: Damage.all)
    func `and finds`(damage: Damage) async throws {
        try await withFilledDatabase { database async throws in
            try await database.store.write { try damage.apply($0) }
            let deep = try await database.check()
            #expect(deep.map(\.place).contains(damage.place), "\(deep)")
            let plain = try await database.check(isDeep: false)
            #expect(
                plain.map(\.place).contains(damage.place) != damage.isFoundByDeepChecksAlone,
                "\(plain)")
        }
    }

    @Test func `and asks those who know what side tables mean`() async throws {
        try await withFilledDatabase { database async throws in
            let check = SideTableCheck(ofTables: ["own"]) { snapshot, report in
                try snapshot.table("own")?.forEach { _, value in
                    try report.advance()
                    if value != [2] { report.found("The value is not two.", in: "own") }
                    return true
                }
            }
            database.addSideTableCheck(check)
            database.addSideTableCheck(check)
            #expect(try await database.check().map(\.description) == ["own: The value is not two."])
        }
    }

    @Test(arguments: [true, false])
    func `and can be cancelled at every moment`(isDeep: Bool) async throws {
        try await withFilledDatabase { database async throws in
            let reports = Lock(0)
            #expect(
                try await database.check(isDeep: isDeep) { _ in reports.withLock { $0 += 1 } } == []
            )
            let count = reports.withLock { $0 }
            #expect(count > 3)
            for moment in 0..<count {
                let left = Lock(moment)
                let begun = Monitor<Task<[CheckFinding], any Error>?>(nil)
                let task = Task {
                    try await database.check(isDeep: isDeep) { _ in
                        let isNow = left.withLock { left in
                            defer { left -= 1 }
                            return left == 0
                        }
                        if isNow { begun.when { $0 }.cancel() }
                    }
                }
                begun.withLock { $0 = task }
                await #expect(throws: CancellationError.self, "\(moment)") { try await task.value }
            }
        }
    }

    @Test func `but for one that was cancelled before it began`() async throws {
        try await withFilledDatabase { database async throws in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await database.check()
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
