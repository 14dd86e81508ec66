import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Operations about documents` {
    @Test func `are found by each of them, in order, until they end`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        func about(_ id: String) throws -> [UUID] {
            try queue.outbox.read { try $0.operations(about: id).map(\.id) }
        }
        let photo = try await queue.add("photo", in: "photos", about: ["fig"])
        let both = try await queue.add("both", about: ["fig", "plum", "fig"])
        let plum = try await queue.add("plum", about: ["plum"])
        let inserted = try await queue.outbox.write {
            try $0.insert(Errand(), intoGraphOf: both, about: ["plum"])
        }
        var found = try [about("fig"), about("plum"), about("quince")]
        #expect(found == [[both, photo], [both, inserted, plum], []])
        try await queue.complete(both)
        found = try [about("fig"), about("plum")]
        #expect(found == [[photo], [inserted, plum]])
    }

    @Test func `are not mixed up when identifiers begin alike`() async throws {
        let queue = try await QueueFixture()
        let names = ["a", "ab", "a\0", "a\0b", "zoë", String(repeating: "x", count: 255)]
        var ids: [String: UUID] = [:]
        for name in names { ids[name] = try await queue.add(name, about: [name]) }
        for name in names {
            let found = try queue.outbox.read { try $0.operations(about: name).map(\.id) }
            #expect(found == [ids[name]])
        }
        try await queue.outbox.write { _ = try $0.skipOperations() }
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }
}
