import Foundation
import Settle
import SettleSync
import Testing

/// What the documentation of types shows, and no guide does.
@Suite struct `Examples of replication` {
    @Test func `say which documents are meant`() throws {
        let url = try #require(URL(string: "http://127.0.0.1/tables/items"))
        var configuration = ReplicationConfiguration(url: url)
        configuration.scope = .documents(matching: ["list": ["$in": ["home", "work"]]])
        #expect(try configuration.scope.includes(["id": "a", "list": "home"]))
        #expect(try !configuration.scope.includes(["id": "a", "list": "other"]))
        configuration.scope = .documents(matching: ["_id": ["$gte": "todo:", "$lt": "todo;"]])
        #expect(try configuration.scope.includes(["id": "todo:1"]))
        #expect(try !configuration.scope.includes(["id": "note:1"]))
    }
}
