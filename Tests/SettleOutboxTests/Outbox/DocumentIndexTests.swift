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

    @Test func `are told apart by the bytes of the identifiers`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let queue = try await QueueFixture([idle(coalescing: .byKind(of: Edit.self))])
        func about() throws -> [[UUID]] {
            try queue.outbox.read { snapshot in
                try [composed, decomposed].map { try snapshot.operations(about: $0).map(\.id) }
            }
        }
        let id = try await queue.add("one", about: [composed])
        try await queue.outbox.write { try $0.modify(id) { $0.documentIds = [decomposed] } }
        #expect(try about() == [[], [id]])
        let both = try await queue.outbox.write { queue in
            let id = try queue.add(Errand(), about: [composed, decomposed])
            let single = try queue.add(Errand(), about: [decomposed])
            #expect(try queue.operations(about: composed).map(\.id) == [id])
            try queue.skip(single)
            return id
        }
        #expect(try about() == [[both], [id, both]])
        let findings = try await queue.database.check()
        #expect(findings.isEmpty)
        for id in [id, both] { try await queue.complete(id) }
        #expect(try about() == [[], []])
        // Neither is coalesced with that about the other, and both can be added.
        let edits = try await queue.outbox.write { queue in
            try [composed, decomposed].map {
                try queue.add(Edit(kind: .insert), about: [$0])
            }
        }
        #expect(try about() == [[edits[0]], [edits[1]]])
        let thrown = try await code {
            try await queue.outbox.write { queue in
                _ = try queue.add(
                    Errand(), about: [composed, decomposed], recordsChanges: true)
            }
        }
        #expect(thrown == .invalidOperation)
    }

    @Test func `are found by the last of a pipeline, as by a walk over all`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        var random = SeededGenerator()
        let names = ["a", "a\0", "a\0b"]
        for _ in 0..<30 {
            let count = Int.random(in: 1...4, using: &random)
            let added = (0..<count).map { _ in
                (names.randomElement(using: &random) ?? "a", Bool.random(using: &random))
            }
            try await queue.outbox.write { queue in
                for (name, isPhoto) in added {
                    try queue.add(
                        Errand(), pipeline: isPhoto ? "photos" : nil, about: [name])
                }
            }
        }
        try queue.database.read { snapshot in
            let table = try OutboxTable(in: snapshot)
            for name in names + ["none"] {
                for pipeline in [UInt32(1), 2, 3] {
                    let last = try table.keys(ofDocument: name).last { $0.pipeline == pipeline }
                    #expect(
                        try table.lastKey(ofDocument: name, of: pipeline) == last, "\(random)")
                }
            }
        }
    }

    @Test(arguments: [1, 2, 50, 4_000])
    func `are found by the last with few looks, however many there are`(count: Int) {
        let last = UInt64(count)
        // All of one commit, or each of one of its own.
        for graph in [last, 1] {
            var lookCount = 0
            let key = OperationKey(pipeline: 1, graph: graph, number: last)
            let found = LastKeySearch(pipeline: 1).last { place in
                lookCount += 1
                let number = max(place.number, 1)
                if graph == 1 {
                    return place.graph > 1 || number > last
                        ? nil : OperationKey(pipeline: 1, graph: 1, number: number)
                }
                let next = max(place.graph, 1)
                let isThere = next < last || next == last && number <= last
                return isThere ? OperationKey(pipeline: 1, graph: next, number: next) : nil
            }
            #expect(found == key)
            #expect(lookCount <= 30)
        }
        let none = LastKeySearch(pipeline: 1).last { _ in
            OperationKey(pipeline: 2, graph: 1, number: 1)
        }
        #expect(none == nil)
        let most = OperationKey(pipeline: 1, graph: .max, number: .max)
        #expect(LastKeySearch(pipeline: 1).last { _ in most } == most)
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
