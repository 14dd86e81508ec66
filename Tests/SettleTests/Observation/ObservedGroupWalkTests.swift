import TestSupport
import Testing

@testable import Settle

/// Random commits under groups of keys of every shape, each compared with a fresh query.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Observed groups in a random walk` {
    private static let index = Database.Index(
        name: "i", version: "1", builtInReduce: .count,
        map: { document, addIndexRow in
            if let keys = document["keys"] as? [Any] {
                for key in keys { addIndexRow(key, nil) }
            }
        })

    /// Keys of which some are the beginning of others.
    private static func key(_ random: inout SeededGenerator) -> Any {
        let depth = Int.random(in: 0..<5, using: &random)
        if depth == 4 { return ["a", "b", "ab"].randomElement(using: &random) ?? "a" }
        var key: [Any] = []
        for _ in 0..<depth {
            if Bool.random(using: &random) {
                key.append(Int.random(in: 0..<3, using: &random))
            } else {
                key.append(["", "a", "ab", "b"].randomElement(using: &random) ?? "")
            }
        }
        return key
    }

    private static func parameters(_ random: inout SeededGenerator) -> any QueryParameters {
        var parameters: any QueryParameters
        if Int.random(in: 0..<4, using: &random) == 0 {
            var keys: [Any] = []
            for _ in 0..<Int.random(in: 1..<6, using: &random) { keys.append(key(&random)) }
            parameters = QueryByKeyList(keys: keys)
        } else {
            var range = QueryByKeyRange()
            if Int.random(in: 0..<3, using: &random) == 0 { range.startKey = key(&random) }
            if Int.random(in: 0..<3, using: &random) == 0 { range.endKey = key(&random) }
            parameters = range
        }
        if Bool.random(using: &random) { parameters.sortOrder = .descending }
        if Bool.random(using: &random) {
            parameters.rowLimit = UInt.random(in: 1..<5, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            parameters.startRow = UInt.random(in: 1..<4, using: &random)
        }
        parameters.groupLevel = UInt.random(in: 0..<4, using: &random)
        parameters.group = parameters.groupLevel == 0 && Bool.random(using: &random)
        return parameters
    }

    @Test(arguments: [21, 22] as [UInt64])
    func `equal those of a fresh query`(seed: UInt64) async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            var random = SeededGenerator(seed: seed)
            var watches: [(parameters: any QueryParameters, list: LiveList)] = []
            for _ in 0..<50 {
                let parameters = Self.parameters(&random)
                watches.append((parameters, try database.observers.observe(parameters, of: "i")))
            }
            for step in 0..<30 {
                var changes: [(String, [Any]?)] = []
                for _ in 0..<Int.random(in: 1..<6, using: &random) {
                    var keys: [Any] = []
                    for _ in 0..<Int.random(in: 0..<5, using: &random) {
                        keys.append(Self.key(&random))
                    }
                    let isThere = Int.random(in: 0..<5, using: &random) > 0
                    changes.append(
                        ("d\(Int.random(in: 0..<12, using: &random))", isThere ? keys : nil))
                }
                let documents = changes.map { id, keys in
                    var document = Document(id: id)
                    if let keys { document["keys"] = keys }
                    return (document, keys == nil)
                }
                try await database.write { transaction in
                    for (document, isGone) in documents {
                        if isGone {
                            _ = try transaction.purge(documentsWithIds: [document.id])
                        } else {
                            try transaction.save(document)
                        }
                    }
                }
                try await database.observersAreUpToDate(on: "i")
                for watch in watches {
                    let fresh = try await database.runQuery(on: "i", with: watch.parameters)
                    let context: Comment = "seed \(seed), step \(step): \(watch.parameters)"
                    let delivered = try #require(watch.list.delivered, context)
                    #expect(QueryResultEnumerator(delivered).rows == fresh.rows, context)
                }
            }
        }
    }
}
