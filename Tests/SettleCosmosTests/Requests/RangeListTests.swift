import SettleDocuments
import Synchronization
import Testing

@testable import SettleCosmos

@Suite struct `Lists of partitions` {
    /// Gives pages as a test says, the last of them over and over.
    private final class Pages: Cosmos.OperationHandler {
        private let pages: [(ranges: [(String, String)], next: String?)]
        private let asked = Mutex(0)

        init(_ pages: [(ranges: [(String, String)], next: String?)]) { self.pages = pages }

        var count: Int { asked.withLock { $0 } }

        func perform(
            _ operation: Cosmos.Operation
        ) async throws(Cosmos.ClientError) -> Cosmos.OperationResponse {
            let number = asked.withLock { asked in
                defer { asked += 1 }
                return asked
            }
            let page = pages[number % pages.count]
            var response = Cosmos.OperationResponse(status: 200)
            response.metadata.continuation = page.next
            let ranges = page.ranges.compactMap { lower, upper in
                try? PackedValue([
                    "id": .string(lower), "minInclusive": .string(lower),
                    "maxExclusive": .string(upper),
                ])
            }
            response.content = .feed(ranges, resourceId: "r")
            return response
        }
    }

    private static let collection = Cosmos.Link.collection("people", inDatabase: "crm")

    @Test func `are read to the end`() async throws {
        let pages = Pages([([("", "80")], "a"), ([], "b"), ([("80", "FF")], nil)])
        let found = try await Cosmos.PartitionRanges.read(of: Self.collection, by: pages)
        #expect(found.ranges.map(\.upper) == ["80", "FF"])
    }

    @Test(.timeLimit(.minutes(60)), arguments: [true, false])
    func `that go round in a circle are an error`(_ isEmpty: Bool) async {
        let ranges = isEmpty ? [] : [("", "80")]
        let pages = Pages([(ranges, "a"), (ranges, "b")])
        await #expect {
            try await Cosmos.PartitionRanges.read(of: Self.collection, by: pages)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreadableResponse }
        #expect(pages.count <= 204)
    }

    @Test(.timeLimit(.minutes(60))) func `that always go on are an error`() async {
        let pages = Pages((0..<2_000).map { (ranges: [("", "80")], next: "c\($0)") })
        await #expect {
            try await Cosmos.PartitionRanges.read(of: Self.collection, by: pages)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreadableResponse }
        #expect(pages.count == 1_000)
    }

    @Test func `with gaps are an error of their own`() async {
        let pages = Pages([([("", "80")], nil)])
        await #expect {
            try await Cosmos.PartitionRanges.read(of: Self.collection, by: pages)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .noPartitionKeyRange }
    }
}
