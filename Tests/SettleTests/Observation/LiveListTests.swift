import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

@testable import Settle

/// What a reader takes from a list that is kept up to date.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A live list` {
    private static func key(_ number: Int) -> RowPosition {
        RowPosition(segment: 0, bytes: [UInt8(number)])
    }

    private static func row(_ value: Int) -> QueryResultRow {
        QueryResultRow(IndexRow(documentID: nil, key: nil, value: .integer(Int64(value))))
    }

    private static func loaded(_ values: [Int: Int], limit: Int? = nil) -> LiveList {
        let list = LiveList(startRow: 0, skip: 0, limit: limit, isDescending: false)
        load(values, into: list)
        return list
    }

    private static func load(_ values: [Int: Int], into list: LiveList) {
        list.load(
            values.sorted { $0.key < $1.key }
                .map { OrderedList.Item(key: key($0.key), value: row($0.value)) })
    }

    private static func deliver(_ list: LiveList, _ sequence: UInt64) {
        list.deliver(sequence: sequence) { (nil, nil) }
    }

    private static func values(of state: ObservedState?) -> [JSONValue]? {
        guard case .answer(let answer)? = state else { return nil }
        return QueryResultEnumerator(answer).map(\.valueJSON)
    }

    private struct Marker: Error {}

    @Test func `gives a reader that fell behind nothing when it has come back to what was taken`()
        async
    {
        let list = Self.loaded([1: 1, 2: 2])
        Self.deliver(list, 1)
        #expect(Self.values(of: await list.take()) == [1, 2])
        _ = list.apply([(Self.key(1), Self.row(7))])
        Self.deliver(list, 2)
        _ = list.apply([(Self.key(1), Self.row(1))])
        Self.deliver(list, 3)
        // The reader has the rows of now; it waits for the next ones.
        let reader = Task { await list.take() }
        _ = list.apply([(Self.key(3), Self.row(3))])
        Self.deliver(list, 4)
        #expect(Self.values(of: await reader.value) == [1, 2, 3])
        list.buffer.end()
    }

    @Test func `gives what was merged while nobody read as one answer`() async {
        let list = Self.loaded([1: 1, 2: 2])
        Self.deliver(list, 1)
        _ = await list.take()
        for value in 3..<9 {
            _ = list.apply([(Self.key(2), Self.row(value))])
            Self.deliver(list, UInt64(value))
        }
        #expect(Self.values(of: await list.take()) == [1, 8])
        list.buffer.end()
    }

    @Test func `does not deliver what was read anew and is equal`() async {
        let list = Self.loaded([1: 1, 2: 2])
        Self.deliver(list, 1)
        let first = list.delivered?.number
        Self.load([1: 1, 2: 2], into: list)
        Self.deliver(list, 2)
        #expect(list.delivered?.sequence == 1)
        #expect(list.delivered?.number == first)
        // And knows from there on what is different.
        _ = list.apply([(Self.key(2), Self.row(2))])
        Self.deliver(list, 3)
        #expect(list.delivered?.sequence == 1)
        _ = list.apply([(Self.key(2), Self.row(5))])
        Self.deliver(list, 4)
        #expect(list.delivered?.sequence == 4)
        #expect(Self.values(of: await list.take()) == [1, 5])
        list.buffer.end()
    }

    @Test func `tells rows again after a failure only if the reader took it`() async {
        let list = Self.loaded([1: 1])
        Self.deliver(list, 1)
        #expect(Self.values(of: await list.take()) == [1])
        // The failure is overtaken by rows that the reader has.
        list.fail(Marker())
        Self.load([1: 1], into: list)
        Self.deliver(list, 2)
        let reader = Task { await list.take() }
        _ = list.apply([(Self.key(1), Self.row(4))])
        Self.deliver(list, 3)
        #expect(Self.values(of: await reader.value) == [4])
        list.fail(Marker())
        guard case .failure? = await list.take() else {
            Issue.record("no failure")
            return
        }
        Self.load([1: 4], into: list)
        Self.deliver(list, 4)
        #expect(Self.values(of: await list.take()) == [4])
        list.buffer.end()
    }

    @Test(arguments: [nil, 3, 10] as [Int?])
    func `shows a reader each state that it takes, and none twice in a row`(limit: Int?) async {
        var random = SeededGenerator(seed: UInt64(limit ?? 99))
        var model: [Int: Int] = [:]
        let list = Self.loaded(model, limit: limit)
        Self.deliver(list, 0)
        var last = Self.values(of: await list.take())
        #expect(last == [])
        for step in 1..<2_000 {
            let number = Int.random(in: 0..<14, using: &random)
            let value = Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
            model[number] = value
            switch list.apply([(Self.key(number), value.map(Self.row))]) {
            case .nothing: break
            case .all, .items: Self.load(model, into: list)
            }
            Self.deliver(list, UInt64(step))
            let shown = model.sorted { $0.key < $1.key }.prefix(limit ?? .max)
                .map { JSONValue.integer(Int64($0.value)) }
            let delivered = list.delivered.map { QueryResultEnumerator($0).map(\.valueJSON) }
            #expect(delivered == shown, "step \(step)")
            // It may have come back to what the reader has, who would wait then.
            guard Int.random(in: 0..<4, using: &random) == 0, shown != last else { continue }
            last = Self.values(of: await list.take())
            #expect(last == shown, "step \(step)")
        }
        list.buffer.end()
    }
}
