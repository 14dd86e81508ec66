import SettleDocuments
import SettleIndexing
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

/// Reduce functions of the application.
@Suite(.serialized) struct `Custom reductions` {
    /// What a function was called with.
    private struct Call: Sendable, Equatable {
        var keys: [JSONValue]
        var values: [JSONValue?]
        var isRereduce: Bool
    }

    private final class Calls: Sendable {
        private let calls = Lock<[Call]>([])

        var all: [Call] { calls.withLock { $0 } }

        func note(_ call: Call) { calls.withLock { $0.append(call) } }
    }

    /// Adds the values; rows without one count nothing.
    private func sum(_ calls: Calls) -> IndexReducer {
        .custom { keys, values, isRereduce in
            calls.note(Call(keys: keys, values: values, isRereduce: isRereduce))
            return .integer(values.reduce(0) { $0 + ($1?.integerValue ?? 0) })
        }
    }

    /// The values one after another, as text, which shows their order.
    private let list = IndexReducer.custom { _, values, isRereduce in
        .string(
            values.map { value in
                switch value {
                case nil: "-"
                case .string(let text)?: text
                case let value?: "\(value.jsonText) "
                }
            }.joined())
    }

    @Test func `a function is given keys and values in the order of the rows`() throws {
        let calls = Calls()
        let rows = [
            try ReductionRow(.array([.string("á")]), .integer(1)),
            try ReductionRow(.array([.string("b")]), nil), try ReductionRow("c", .null),
        ]
        var reduction = try Reduction(sum(calls), rows: rows)
        #expect(try reduction.result() == .integer(1))
        #expect(
            calls.all == [
                Call(
                    keys: [.array(["á"]), .array(["b"]), "c"], values: [.integer(1), nil, .null],
                    isRereduce: false)
            ])
    }

    @Test func `no call is given more than a hundred rows or results`() throws {
        let calls = Calls()
        let rows = try ReductionRow.rows((0..<25_050).map { .integer($0) })
        var reduction = try Reduction(sum(calls), rows: rows)
        #expect(try reduction.result() == .integer(25_050 * 25_049 / 2))
        let all = calls.all
        #expect(all.allSatisfy { $0.values.count <= 100 })
        #expect(all.allSatisfy { $0.keys.count == ($0.isRereduce ? 0 : $0.values.count) })
        // 250 full calls and one of 50 rows; two full rereduces of 100 results; one of the rest
        // with the last 50, and one of the three that remain.
        #expect(all.count { !$0.isRereduce } == 251)
        #expect(all.count { $0.isRereduce } == 4)
        let count = all.count
        #expect(try reduction.result() == .integer(25_050 * 25_049 / 2))
        _ = try reduction.encoded()
        #expect(calls.all.count == count, "Asking again calls nothing.")
    }

    @Test func `a merged partial is always rereduced, even alone`() throws {
        let calls = Calls()
        var first = try Reduction(sum(calls), rows: ReductionRow.rows([.integer(3), .integer(4)]))
        let partial = try first.encoded()
        var second = Reduction(sum(calls))
        try second.merge(stored: partial)
        #expect(try second.result() == .integer(7))
        #expect(
            calls.all.last == Call(keys: [], values: [.integer(7)], isRereduce: true))
        #expect(calls.all.count == 2)
        try second.merge(stored: partial)
        #expect(try second.result() == .integer(14))
        #expect(
            calls.all.last
                == Call(keys: [], values: [.integer(7), .integer(7)], isRereduce: true))
    }

    @Test func `a function that forgets the rereduce shows itself`() throws {
        let reducer = IndexReducer.custom { _, values, _ in .integer(Int64(values.count)) }
        var part = try Reduction(reducer, rows: ReductionRow.rows([.integer(1), .integer(1)]))
        var whole = Reduction(reducer)
        try whole.merge(partialOf: &part)
        #expect(try part.result() == .integer(2))
        #expect(try whole.result() == .integer(1))
    }

    @Test func `grouping changes neither the order nor the result`() throws {
        var generator = SeededGenerator(seed: 0x71)
        for round in 0..<80 {
            let count = Int.random(in: 1...400, using: &generator)
            let values: [JSONValue?] = (0..<count).map { $0 % 7 == 3 ? nil : .integer(Int64($0)) }
            let rows = try ReductionRow.rows(values)
            let calls = Calls()
            var sum = try Reduction(sum(calls), rows: rows[...], using: &generator)
            let expected = values.reduce(0) { $0 + ($1?.integerValue ?? 0) }
            #expect(try sum.result() == .integer(expected), "\(generator), round \(round)")
            #expect(calls.all.allSatisfy { $0.keys.isEmpty == $0.isRereduce && !$0.values.isEmpty })
            let text = values.map { $0.map { "\($0.jsonText) " } ?? "-" }.joined()
            var ordered = try Reduction(list, rows: rows[...], using: &generator)
            #expect(try ordered.result() == .string(text), "\(generator), round \(round)")
        }
    }

    private struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// A function that fails for the value 13, which is in the rows, or on rereduce.
    private func failing(onRereduce: Bool, _ reason: String) -> IndexReducer {
        .custom { _, values, isRereduce in
            if isRereduce ? onRereduce : values.contains(.integer(13)) {
                throw Problem(description: reason)
            }
            return .integer(0)
        }
    }

    @Test func `what a function throws is kept in the partial and told with the result`() throws {
        let reason = IndexError.reduceFailed(
            reason: "The reduce function threw an error: thirteen")
        var part = try Reduction(
            failing(onRereduce: false, "thirteen"),
            rows: ReductionRow.rows([.integer(1), .integer(13)]))
        #expect(throws: reason) { try part.result() }
        let sound = IndexReducer.custom { _, _, _ in .integer(0) }
        var whole = try Reduction(sound, rows: ReductionRow.rows([.integer(1)]))
        try whole.merge(partialOf: &part)
        for row in try ReductionRow.rows([.integer(2)]) { try whole.add(row) }
        #expect(throws: reason) { try whole.result() }
        var outer = Reduction(sound)
        try outer.merge(partialOf: &whole)
        #expect(throws: reason) { try outer.result() }
    }

    @Test func `what a function throws on rereduce is told too`() throws {
        let reducer = failing(onRereduce: true, "again")
        var part = try Reduction(reducer, rows: ReductionRow.rows([.integer(1)]))
        var whole = Reduction(reducer)
        try whole.merge(partialOf: &part)
        #expect(
            throws: IndexError.reduceFailed(reason: "The reduce function threw an error: again")
        ) { try whole.result() }
    }

    @Test func `a long reason is cut at a whole character`() throws {
        let reason = String(repeating: "ü", count: 2000)
        var part = try Reduction(
            failing(onRereduce: false, reason), rows: ReductionRow.rows([.integer(13)]))
        let bytes = try part.encoded()
        #expect(bytes.count <= 1025)
        #expect(bytes.count > 1000)
        var whole = Reduction(failing(onRereduce: false, ""))
        try whole.merge(stored: bytes)
        let text = "The reduce function threw an error: "
        let kept = String(repeating: "ü", count: (1024 - 3 - text.utf8.count) / 2)
        #expect(throws: IndexError.reduceFailed(reason: "\(text)\(kept)…")) {
            try whole.result()
        }
    }

    @Test func `what cannot be stored is a failure`() throws {
        let reducer = IndexReducer.custom { _, _, _ in .array([.double(.nan)]) }
        var reduction = try Reduction(reducer, rows: ReductionRow.rows([.integer(1)]))
        #expect(
            throws: IndexError.reduceFailed(
                reason: "The reduce function returned a value that cannot be stored: A number is "
                    + "NaN or infinite, which JSON cannot say; use null or a string instead.")
        ) { try reduction.result() }
    }

    @Test func `a result that grows with the rows is refused`() throws {
        let gather = IndexReducer.custom { _, values, isRereduce in
            isRereduce
                ? .array(values.flatMap { $0?.arrayValue ?? [] }) : .array(values.compactMap { $0 })
        }
        let text = String(repeating: "x", count: 62)
        // Each row is 63 bytes with its value and 1 with its key; the array has a head of 3 bytes.
        func result(_ count: Int) throws -> JSONValue {
            var reduction = try Reduction(
                gather,
                rows: (0..<count).map { _ in try ReductionRow(.integer(1), .string(text)) })
            return try reduction.result()
        }
        #expect(try result(64) == .array((0..<64).map { _ in .string(text) }))
        #expect(
            throws: IndexError.reduceFailed(
                reason: "Reduce output must shrink more rapidly: input size: 4224 "
                    + "output size: 4161")
        ) { try result(66) }
    }

    @Test func `a large result that is half of its rows is allowed`() throws {
        let keep = IndexReducer.custom { _, values, _ in values[0] ?? .null }
        let text = String(repeating: "x", count: 5000)
        var reduction = try Reduction(
            keep, rows: ReductionRow.rows([.string(text), .string(text)]))
        #expect(try reduction.result() == .string(text))
    }
}
