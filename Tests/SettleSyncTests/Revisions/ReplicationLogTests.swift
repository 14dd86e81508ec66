import Settle
import TestSupport
import Testing

@testable import SettleSync

@Suite struct `The log of a replication` {
    private func log(_ entries: (String, JSONValue)...) -> ReplicationLog {
        ReplicationLog(entries: entries.map { .init(name: $0.0, sequence: $0.1) })
    }

    @Test func `comes back from its document`() {
        var entry = ReplicationLog.Entry(name: "b", sequence: "5-x")
        entry.details = ["docs_read": 3]
        let log = ReplicationLog(entries: [entry, .init(name: "a", sequence: 4)])
        #expect(ReplicationLog(log.json) == log)
        #expect(log.json["session_id"] == "b" && log.json["source_last_seq"] == "5-x")
        #expect(log.json["history"]?[1]?["recorded_seq"] == 4)
    }

    @Test func `is read as far as it makes sense`() {
        for text in ["{}", "[]", "7", #"{"session_id":"a"}"#, #"{"history":[{}]}"#] {
            #expect(ReplicationLog(parsed(text)) == nil, "\(text)")
        }
        let part = parsed(
            #"{"session_id":"b","source_last_seq":9,"history":[{"session_id":"a","recorded_seq":4},1]}"#
        )
        #expect(ReplicationLog(part) == log(("b", 9), ("a", 4)))
    }

    private func parsed(_ text: String) -> JSONValue {
        (try? JSONText.value(from: Array(text.utf8))) ?? .null
    }

    @Test func `goes on from the newest entry that both sides have`() {
        func common(_ first: ReplicationLog?, _ second: ReplicationLog?) -> [String] {
            ReplicationLog.common(first, second).map(\.name)
        }
        let full = log(("c", 3), ("b", 2), ("a", 1))
        #expect(common(full, full) == ["c", "b", "a"])
        // The newest did not arrive, or one side was restored from a copy.
        #expect(common(full, log(("b", 2), ("a", 1))) == ["b", "a"])
        #expect(common(log(("b", 2), ("a", 1)), full) == ["b", "a"])
        // Both went on by themselves.
        #expect(common(full, log(("x", 3), ("a", 1))) == ["a"])
        #expect(common(full, log(("x", 3))) == [])
        #expect(common(full, nil) == [] && common(nil, full) == [])
        // One name with two sequences means nothing.
        #expect(common(full, log(("c", 4), ("a", 1))) == ["a"])
    }

    @Test func `keeps as many entries as CouchDB`() {
        let entries = (0..<80).map { ReplicationLog.Entry(name: "\($0)", sequence: 1) }
        #expect(ReplicationLog(entries: entries).entries.count == 50)
    }

    @Test func `is kept in the database, which has a name in it`() async throws {
        let device = try await Device()
        let database = device.database
        let kept = log(("b", "5-x"), ("a", 4))
        let name = try await database.write { try RevisionTables.databaseName(in: $0) }
        try await database.write { transaction in
            try RevisionTables.setLog(kept, "name", in: transaction)
            try RevisionTables.noteContent(
                "md5-x", String(repeating: "0", count: 64), in: transaction)
        }
        #expect(try await database.write { try RevisionTables.databaseName(in: $0) } == name)
        #expect(try database.read { try RevisionTables.log("name", in: $0) } == kept)
        #expect(try database.read { try RevisionTables.log("other", in: $0) } == nil)
        database.addSideTableCheck(.revisionReplication)
        #expect(try await database.check().isEmpty)
        try await database.write { transaction in
            try transaction.sideTable(named: RevisionTables.logsName)
                .set([9], for: Array("name".utf8))
        }
        #expect(try await database.check().count == 1)
        #expect(throws: DatabaseError.self) {
            try database.read { try RevisionTables.log("name", in: $0) }
        }
    }
}
