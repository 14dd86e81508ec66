import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct QueryMemoryTests {
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

    @Test func `keys that push each other out stay right`() {
        let memory = QueryMemory(.unicode)
        let collator = Collator(.unicode)
        let long = String(repeating: "long ", count: 300)
        for _ in 0..<2 {
            for number in 0..<3000 as Range<Int64> {
                let value = JSONValue.array(["type", .integer(number)])
                #expect(memory.key(for: value) == collator.key(for: value))
            }
            #expect(memory.key(for: .string(long)) == collator.key(for: .string(long)))
            // Equal for Swift's strings, and not for those of JSON.
            for value: JSONValue in ["\u{E9}", "e\u{301}", 1, 1.0, 0.0, -0.0] {
                #expect(memory.key(for: value) == collator.key(for: value))
            }
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
