import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleSync

@Suite struct `Notes of bases` {
    private func withQueries<Value: Sendable>(
        _ body: @escaping @Sendable (QueryNumbers) throws -> Value
    ) async throws -> Value {
        let device = try await Device()
        return try await device.database.write { transaction in
            try body(
                QueryNumbers(try transaction.sideTable(named: QueryNumbers.tableName), of: 1))
        }
    }

    private static let versions: [String?] = [
        nil, "", "v1", "AAAAAAAAB9E=", "AAAAAAAAB9F=", "AAAAAAAAB9E", "/////////+8=",
        Data("1-0123456789abcdef0123456789abcdef".utf8).base64EncodedString(),
        Data("4294967295-0123456789abcdef0123456789abcdef".utf8).base64EncodedString(),
        Data("1-0123456789ABCDEF0123456789ABCDEF".utf8).base64EncodedString(),
        Data("01-0123456789abcdef0123456789abcdef".utf8).base64EncodedString(),
        String(repeating: "A", count: 48), String(repeating: "é", count: 24),
    ]

    private static let dates: [Date?] = [
        nil, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -1.5),
        Date(timeIntervalSince1970: 1_800_000_000.123),
        Date(timeIntervalSince1970: 1_800_000_000.123456),
        Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), .distantPast, .distantFuture,
        Date(timeIntervalSinceReferenceDate: 1e300),
    ]

    private func randomState(_ random: inout SeededGenerator) -> BaseItem {
        var state = BaseItem(
            presence: .live, version: Self.versions.randomElement(using: &random) ?? nil,
            members: ["n": .integer(Int64(bitPattern: random.next())), "s": "it's", "x": .null])
        if Bool.random(using: &random) {
            state.members?[AttachmentMember.name] =
                Bool.random(using: &random)
                ? [:]
                : [
                    "f": [
                        "content_type": "text/plain", "length": 3,
                        "digest": .string(String(repeating: "ab", count: 32)),
                    ]
                ]
        }
        state.updated = Self.dates.randomElement(using: &random) ?? nil
        state.source = [0, 5, random.next()].randomElement(using: &random) ?? 0
        state.nullMayMeanAbsent = Bool.random(using: &random)
        if Bool.random(using: &random) { state.unshown = ["n", "\(random.next() % 9)"] }
        if Bool.random(using: &random) { state.rounded = ["n": .integer(.max)] }
        return state
    }

    @Test func `come back as they were written, with the members apart and behind them`()
        async throws
    {
        let random = SeededGenerator()
        let states = (0..<300).reduce(into: ([BaseItem](), random)) { found, _ in
            found.0.append(randomState(&found.1))
        }.0
        try await withQueries { queries in
            for state in states {
                for scope in [ReplicationScope.all, .documents(ofType: "todo")] {
                    let row = try #require(try BaseNote.row(of: state, in: scope, queries))
                    #expect(row.note.first == BaseNote.layout)
                    #expect(try row.members.packedMember(AttachmentMember.name) == nil)
                    var note = RowReader(row.note, place: "a note")
                    var read = try BaseNote.state(from: &note, members: row.members, queries)
                    #expect(read.members == state.members, "\(random)")
                    read.form = state.form
                    #expect(read == state, "\(random)")
                    var whole = RowReader(row.note + row.members.bytes, place: "a row")
                    var again = try BaseNote.state(from: &whole, members: nil, queries)
                    #expect(again.members == state.members, "\(random)")
                    again.form = state.form
                    #expect(again == state, "\(random)")
                }
            }
        }
    }

    @Test func `that are cut off anywhere are an error`() async throws {
        let random = SeededGenerator()
        var generator = random
        let states = (0..<30).map { _ in randomState(&generator) }
        try await withQueries { queries in
            for state in states {
                let row = try #require(try BaseNote.row(of: state, in: .all, queries))
                for count in row.note.indices {
                    var short = RowReader(Array(row.note[..<count]), place: "a note")
                    #expect(throws: DatabaseError.self, "\(random)") {
                        try BaseNote.state(from: &short, members: row.members, queries)
                    }
                }
                var other = RowReader([1] + row.note.dropFirst(), place: "a note")
                #expect(throws: DatabaseError.self) {
                    try BaseNote.state(from: &other, members: row.members, queries)
                }
            }
        }
    }

    @Test func `have the type that a scope adds among the members of the document alone`()
        async throws
    {
        let state = BaseItem(presence: .live, version: "1", members: ["n": 1])
        let members = try await withQueries { queries in
            try BaseNote.row(of: state, in: .documents(ofType: "todo"), queries)?.members.value()
        }
        #expect(members == ["n": 1, "type": "todo"])
    }

    @Test func `are of live items with members only`() async throws {
        let deleted = BaseItem(presence: .deleted, version: "1", members: ["n": 1])
        let unknown = BaseItem(presence: .live, version: "1")
        try await withQueries { queries in
            for state in [deleted, unknown, .absent] {
                let row = try BaseNote.row(of: state, in: .all, queries)
                #expect(row == nil)
            }
        }
    }

    @Test func `have the bytes that the format page shows`() async throws {
        var state = BaseItem(presence: .live, version: "AAAAAAAAB9E=", members: ["n": 1])
        state.updated = Date(timeIntervalSince1970: 2)
        state.source = 5
        let note = try await withQueries { [state] in
            try BaseNote.row(of: state, in: .all, $0)?.note
        }
        #expect(note == [4, 6, 0, 0, 0, 0, 0, 0, 7, 0xD1, 0xA0, 0x1F, 1])
    }

    @Test func `have versions and dates in the shortest form that gives them again`() throws {
        let forms: [UInt8] = [0, 1, 1, 2, 1, 1, 2, 3, 3, 1, 1, 1, 1]
        for (version, form) in zip(Self.versions, forms) {
            #expect(NoteVersion(version).stored == form, "\(version ?? "none")")
            var row = RowWriter()
            NoteVersion(version).write(to: &row)
            var reader = RowReader(row.bytes, place: "a version")
            #expect(try NoteVersion(form, from: &reader).text == version)
        }
        for (date, form) in zip(Self.dates, [0, 1, 1, 1, 2, 3] as [UInt8]) {
            #expect(NoteDate(date).stored == form, "\(String(describing: date))")
        }
        var random = SeededGenerator()
        let some = (0..<500).map { _ in
            Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random))
        }
        for date in Self.dates + some {
            var row = RowWriter()
            NoteDate(date).write(to: &row)
            var reader = RowReader(row.bytes, place: "a date")
            #expect(try NoteDate(NoteDate(date).stored, from: &reader).date == date, "\(random)")
        }
    }

    @Test func `number the first queries, and name the others in full`() async throws {
        let device = try await Device()
        try await device.database.write { transaction in
            let table = try transaction.sideTable(named: QueryNumbers.tableName)
            let (first, second) = (QueryNumbers(table, of: 1), QueryNumbers(table, of: 1))
            for hash in 1...100 as ClosedRange<UInt64> {
                #expect(try first.number(of: hash * 7) == UInt8(hash))
            }
            // One that has not seen those takes none of their numbers.
            for hash in 101...127 as ClosedRange<UInt64> {
                #expect(try second.number(of: hash * 7) == UInt8(hash))
            }
            for queries in [first, second, QueryNumbers(table, of: 1)] {
                #expect(try queries.number(of: 1_000_000) == nil)
                for hash in 1...127 as ClosedRange<UInt64> {
                    #expect(try queries.number(of: hash * 7) == UInt8(hash))
                    #expect(try queries.hash(of: UInt8(hash)) == hash * 7)
                }
            }
            #expect(try QueryNumbers(table, of: 2).hash(of: 1) == nil)
            let queries = QueryNumbers(table, of: 1)
            var state = BaseItem(presence: .live, version: "1", members: ["n": 1])
            state.source = 1_000_000
            let row = try #require(try BaseNote.row(of: state, in: .all, queries))
            var reader = RowReader(row.note, place: "a note")
            let read = try BaseNote.state(from: &reader, members: row.members, queries)
            #expect(read.source == state.source)
        }
    }
}
