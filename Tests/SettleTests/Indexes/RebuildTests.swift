@testable import Settle
import SettlePrimitives
import SettleIndexing
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `An index that is far behind` {
    /// In two databases the same is done; one rebuilds its index when it is behind.
    @Test func `is rebuilt and answers as one that followed change by change`() async throws {
        var generator = SeededGenerator()
        let name = "\(generator)"
        let steps = (0..<6).map { _ in
            (0..<400).map { _ in
                (
                    id: Int.random(in: 0..<300, using: &generator),
                    key: Int.random(in: 0..<3, using: &generator) == 0
                        ? nil : Int.random(in: 0..<40, using: &generator)
                )
            }
        }
        var answers: [[[String]]] = []
        for isRebuilt in [true, false] {
            let builds = Lock(0)
            let found = try await withDatabase { database async throws in
                database.takeSmallSteps()
                database.indexEngine.pace.withLock { $0.rebuildCountMin = isRebuilt ? 50 : .max }
                try await database.addIndex(
                    Database.Index.keyPaths(
                        name: "i", keys: [["key"], ["id"]], value: ["key"], reduce: .stats))
                var found: [[String]] = []
                for step in steps {
                    try await database.write { transaction in
                        for (id, key) in step {
                            if let key {
                                try transaction.save(["id": "\(id)", "key": key])
                            } else {
                                try transaction.delete(documentWithId: "\(id)")
                            }
                        }
                    }
                    try await database.buildIndex(named: "i") { _ in
                        builds.withLock { $0 += 1 }
                    }
                    var query = QueryByKeyRange()
                    query.reduce = false
                    let rows = try await database.runQuery(on: "i", with: query).rows
                    query.reduce = true
                    query.groupLevel = 1
                    let groups = try await database.runQuery(on: "i", with: query).rows
                    found.append(
                        (rows + groups).map {
                            "\($0.documentId ?? "-") \($0.keyJSON.jsonText) \($0.valueJSON.jsonText)"
                        })
                }
                #expect(try await database.check() == [], "\(name)")
                return found
            }
            // Only a build reports progress.
            #expect((builds.withLock { $0 } > 0) == isRebuilt, "\(name)")
            answers.append(found)
        }
        #expect(answers[0] == answers[1], "\(name)")
        #expect(answers[0].allSatisfy { $0.count > 100 }, "\(name)")
    }
}
