import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

/// Who depends on whom among four operations: bit 4i + j says that i depends on j.
private struct Relation {
    static let count = 4
    let bits: Int

    func has(_ operation: Int, on other: Int) -> Bool {
        bits >> (operation * Self.count + other) & 1 == 1
    }

    func dependencies(of operation: Int) -> [Int] {
        (0..<Self.count).filter { has(operation, on: $0) }
    }

    /// Whether all can be done, by taking away what depends on nothing that is left.
    var hasCycle: Bool {
        var rest = Set(0..<Self.count)
        while let next = rest.first(where: { rest.isDisjoint(with: dependencies(of: $0)) }) {
            rest.remove(next)
        }
        return !rest.isEmpty
    }

    static let all = (0..<1 << (count * count)).map(Relation.init(bits:))

    /// Those in which each depends on earlier ones only: all that have no cycle, but for who is who.
    static let descending = all.filter { relation in
        (0..<count).allSatisfy { operation in
            (operation..<count).allSatisfy { !relation.has(operation, on: $0) }
        }
    }

    static let orders: [[Int]] = {
        func permutations(_ rest: [Int]) -> [[Int]] {
            rest.isEmpty
                ? [[]]
                : rest.flatMap { first in
                    permutations(rest.filter { $0 != first }).map { [first] + $0 }
                }
        }
        return permutations(Array(0..<count))
    }()
}

@Suite(.serialized) struct `All dependencies among four operations` {
    @Test(arguments: PipelineAlgorithm.allCases)
    func `free each operation with the last that it depends on, in any order of completion`(
        _ algorithm: PipelineAlgorithm
    ) async throws {
        let queue = try await QueueFixture([idle(algorithm: algorithm)])
        let outbox = queue.outbox
        var relationCount = 0
        var random = SeededGenerator()
        for relation in Relation.descending {
            relationCount += 1
            let copies = Relation.orders.map { order in (order, order.map { _ in UUID() }) }
            // In whatever order they are added.
            let additions = Relation.orders.shuffled(using: &random)
            try await outbox.write { queue in
                for ((_, ids), addition) in zip(copies, additions) {
                    for operation in addition {
                        try queue.add(
                            Errand(), id: ids[operation],
                            dependencies: Set(relation.dependencies(of: operation).map { ids[$0] }))
                    }
                }
            }
            let wrong = try await outbox.write { queue in
                var wrong: [String] = []
                for (order, ids) in copies {
                    var done: Set<Int> = []
                    for next in order {
                        for operation in 0..<Relation.count where !done.contains(operation) {
                            let isFree = done.isSuperset(of: relation.dependencies(of: operation))
                            if try queue.isReady(ids[operation]) != isFree {
                                wrong.append("\(relation.bits) \(order) \(done) \(operation)")
                            }
                        }
                        if try !queue.complete(ids[next]) { wrong.append("\(next) was not there") }
                        done.insert(next)
                    }
                }
                return wrong
            }
            #expect(wrong.isEmpty, "\(random)")
        }
        #expect(relationCount == 64)
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
        await queue.close()
    }

    @Test func `are refused when they go in circles, and then nothing is left`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        var random = SeededGenerator()
        let cyclic = Relation.all.filter(\.hasCycle)
        for relation in (0..<100).compactMap({ _ in cyclic.randomElement(using: &random) }) {
            let ids = (0..<Relation.count).map { _ in UUID() }
            let thrown = try await code {
                try await outbox.write { queue in
                    for operation in 0..<Relation.count {
                        try queue.add(
                            Errand(), id: ids[operation],
                            dependencies: Set(relation.dependencies(of: operation).map { ids[$0] }))
                    }
                }
            }
            #expect(thrown == .dependencyCycle, "\(relation.bits)")
        }
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
        await queue.close()
    }
}

extension OutboxTransaction {
    /// Whether an operation may start at once.
    func isReady(_ id: UUID) throws -> Bool {
        guard let key = try table.key(of: id), let row = try table.row(key) else { return false }
        return try table.isListed(key, in: .ready, priority: row.priority)
    }
}
