import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `The stored state of an index` {
    private func bytes(_ index: TestIndex, slot: Int) throws -> [UInt8]? {
        try index.store.read("test") {
            try $0.table(named: "views")?.value(for: Array("test".utf8) + [0, UInt8(slot)])
        }
    }

    private func setBytes(_ bytes: [UInt8]?, slot: Int, in index: TestIndex) async throws {
        try await index.store.write { transaction in
            let table = try transaction.createTable(named: "views")
            let key = Array("test".utf8) + [0, UInt8(slot)]
            if let bytes { try table.set(bytes, for: key) } else { try table.remove(key) }
        }
    }

    /// Everything that reads a state of bytes that may mean anything.
    private func readAll(_ index: TestIndex, _ definition: IndexDefinition) throws {
        for known in [definition, nil] {
            do { _ = try index.findings(known) } catch is IndexError {}
        }
        do { _ = try index.state(of: definition) } catch is IndexError {}
        do { _ = try index.failures(definition) } catch is IndexError {}
        do { _ = try index.plan(definition) } catch is IndexError {}
        do {
            _ = try index.answer(IndexQuery(summary: .total), definition)
        } catch is IndexError {}
        do {
            var crashed = PoisonDocuments()
            try index.store.read("test") { try crashed.add(of: definition, in: $0) }
        } catch is IndexError {}
    }

    @Test func `with any byte changed is refused or read, and never ends the process`()
        async throws
    {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.count))
        for number in 0..<20 { try await index.put("d\(number)", [("x", nil)]) }
        try await index.build(definition)
        let slot = try #require(
            try IndexState.slots.first { try bytes(index, slot: $0) != nil })
        let whole = try #require(try bytes(index, slot: slot))
        for position in whole.indices {
            for value: UInt8 in [0, 0xFF] {
                var changed = whole
                changed[position] = value
                try await setBytes(changed, slot: slot, in: index)
                try readAll(index, definition)
            }
        }
        for length in stride(from: 0, to: whole.count, by: 5) {
            try await setBytes(Array(whole[..<length]), slot: slot, in: index)
            try readAll(index, definition)
            let findings = try index.findings(nil)
            #expect(!findings.isEmpty, "cut to \(length) bytes")
        }
        try await setBytes(whole, slot: slot, in: index)
        #expect(try index.findings(definition) == [])
    }

    /// The members of the state, as they are stored.
    private func members(_ index: TestIndex, slot: Int) throws -> [String: JSONValue] {
        let stored = PackedValue(stored: try bytes(index, slot: slot) ?? [])
        guard case .object(let members) = try stored.value() else { return [:] }
        return members
    }

    @Test func `with counts that nothing can have is refused`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition()
        try await index.put("d", [("throw", nil)])
        try await index.put("e", [("x", nil)])
        try await index.build(definition)
        let slot = try #require(
            try IndexState.slots.first { try bytes(index, slot: $0) != nil })
        let sound = try members(index, slot: slot)
        let build: [String: JSONValue] = [
            "after": .null, "mappedCount": 0, "segmentCount": 0, "isMapped": false,
            "isMerged": false,
        ]
        func state(_ name: String, _ value: JSONValue?) -> JSONValue {
            var members = sound
            members[name] = value
            return .object(members)
        }
        func building(_ name: String, _ value: JSONValue?) -> JSONValue {
            var members = build
            members[name] = value
            return state("build", .object(members))
        }
        let counts: [JSONValue] = [
            -1, .integer(.min), .integer(.max), .integer(1 << 49), 1.5, "1", .null,
        ]
        var bad: [JSONValue] = [state("build", 3), state("build", .object([:])), 7, .array([])]
        for name in ["version", "collation", "reducer", "worker", "isWhole", "errorCount"] {
            bad += [state(name, nil), state(name, .array([]))]
        }
        for count in counts {
            bad.append(state("errorCount", count))
            bad += ["mappedCount", "segmentCount"].map { building($0, count) }
        }
        bad += ["sequence", "purgesForgotten"].map { state($0, -1) }
        bad += ["after", "isMapped", "isMerged"].map { building($0, 4) }
        for json in bad {
            try await setBytes(try PackedValue(json).bytes, slot: slot, in: index)
            #expect(throws: IndexError.self, "\(json)") { try index.state(of: definition) }
            let findings = try index.findings(definition)
            #expect(!findings.isEmpty, "\(json)")
        }
        // The greatest that are taken can be added to.
        for json in [state("errorCount", .integer(1 << 48)), state("sequence", .integer(.max))] {
            try await setBytes(try PackedValue(json).bytes, slot: slot, in: index)
            let read = try index.state(of: definition)
            #expect(read != nil)
            let findings = try index.findings(definition)
            #expect(!findings.isEmpty, "\(json)")
            try await index.put("f", [("throw", nil)])
            do { try await index.bringUpToDate(definition) } catch is IndexError {}
        }
        try await setBytes(
            try PackedValue(building("mappedCount", .integer(1 << 48))).bytes, slot: slot,
            in: index)
        do { try await index.build(definition) } catch is IndexError {}
        try await index.store.write { try IndexBuildSteps.remove(name: "test", in: $0) }
        try await index.build(definition)
        #expect(try index.answer(IndexQuery(), definition).rows.count == 1)
        #expect(try index.findings(definition) == [])
    }

    @Test(arguments: [false, true])
    func `that fits in both slots is answered from and made one again`(
        isOlderFirst: Bool
    ) async throws {
        let index = try TestIndex()
        let (definition, other) = (TestIndex.definition(), TestIndex.definition(version: "2"))
        try await index.put("a", [("x", nil)])
        try await index.build(definition)
        let first = try #require(
            try IndexState.slots.first { try bytes(index, slot: $0) != nil })
        // The other slot gets the rows of another version, kept because somebody uses them, which
        // damage then takes for the first version's.
        index.alive = ["w2"]
        var foreign = try members(index, slot: first)
        foreign["worker"] = "w2"
        try await setBytes(try PackedValue(.object(foreign)).bytes, slot: first, in: index)
        try await index.put("b", [("x", nil)])
        try await index.build(other)
        var states = [try members(index, slot: first), try members(index, slot: 1 - first)]
        #expect(states.map { $0["version"] } == ["1", "2"])
        states[1]["version"] = "1"
        if isOlderFirst { states[1]["sequence"] = states[0]["sequence"] }
        for (slot, state) in [(first, states[0]), (1 - first, states[1])] {
            try await setBytes(try PackedValue(.object(state)).bytes, slot: slot, in: index)
        }
        // Whichever answers, it is whole, and it can be brought up to date or rebuilt.
        #expect(try index.state(of: definition) != nil)
        try await index.bringUpToDate(definition)
        try await index.put("c", [("y", nil)])
        try await index.bringUpToDate(definition)
        index.alive = []
        try await index.build(definition)
        let rows = try index.answer(IndexQuery(), definition).rows
        #expect(rows.compactMap(\.documentID) == ["a", "b", "c"])
        let used = try IndexState.slots.filter { try bytes(index, slot: $0) != nil }
        #expect(used.count == 1)
        #expect(try index.findings(definition) == [])
    }
}
