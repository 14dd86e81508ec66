import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite struct QueryMemoryTests {
    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `keys are those of the collator, the first time and the second`(
        _ strings: Collator.Strings
    ) {
        var random = RandomJSON(generator: SeededGenerator())
        let memory = QueryMemory(strings)
        let collator = Collator(strings)
        for _ in 0..<500 {
            let value = random.value(depth: 3)
            let expected = collator.key(for: value)
            #expect(memory.key(for: value) == expected, "\(random.generator)")
            #expect(memory.key(for: value) == expected, "\(random.generator)")
        }
    }

    @Test func `a value that cannot be packed has the collator's key`() {
        let value = JSONValue.array([.double(.nan), .string("a"), .double(.infinity)])
        #expect(QueryMemory(.unicode).key(for: value) == Collator(.unicode).key(for: value))
    }

    @Test func `a changed state is seen at the next query`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition()
        for number in 1...5 as ClosedRange<Int64> {
            try await index.put("\(number)", [(.integer(number), nil)])
            try await index.bringUpToDate(definition)
            let rows = try index.answer(IndexQuery(), definition).rows
            #expect(rows.map(\.key) == (1...number).map { .integer($0) })
            let state = try #require(try index.state(of: definition))
            let sequence = try index.store.read("test") { $0.lastSequence }
            #expect(state.sequence == sequence)
        }
    }
}
