@testable import Settle
import SettleIndexing
import SettlePrimitives
import Synchronization

extension Database {
    /// Adds a document for each number.
    func addNumbers(_ numbers: Range<Int>) async throws {
        try await write { transaction in
            for number in numbers { try transaction.add(Self.numbered(number)) }
        }
    }

    /// The document of a number.
    static func numbered(_ number: Int) -> Document {
        ["id": String(10_000 + number), "n": number, "m": -number]
    }

    /// Makes builds take small steps, one after the other.
    func takeSmallSteps(rangeCount: Int = 16, storeCountMax: Int = 64) {
        indexEngine.pace.withLock { pace in
            pace.rangeCount = rangeCount
            pace.storeCountMax = storeCountMax
            pace.mergeCountMax = 100
            pace.changeCountMax = 50
            pace.workerCount = 1
        }
    }

    /// The keys of an index, in its order.
    func keys(of index: String, _ freshness: QueryFreshness = .current) async throws -> [Int] {
        var query = QueryByKeyRange()
        query.reduce = false
        query.freshness = freshness
        return try await runQuery(on: index, with: query).rows.compactMap { $0.key as? Int }
    }

    /// Waits until the rows of an index hold every change.
    func indexIsCurrent(_ name: String) async throws {
        while try !indexStatus(named: name).isCurrent { await Task.yield() }
    }
}
