import Foundation
import HTTPTypes
import Settle
import SettleSync
import Synchronization
import TestSupport
import Testing

@testable import SettleCosmos

/// Counts queries.
private final class QueryCounter: Sendable {
    private let count = Mutex(0)

    /// The number of this one, from 0 on.
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}

/// Results that are kept in parts, by a service that gives one page after the other as the test says.
@Suite struct `Results that are kept in parts` {
    private struct Answers {
        let client: Cosmos.Client
        let scratch: ScratchDirectory

        // The pages in their order; then there is no connection.
        init(_ pages: [(ids: [String], next: String?)]) throws {
            scratch = try ScratchDirectory("cosmos")
            let queries = QueryCounter()
            let transport = StubTransport { sent, _ throws(ReplicationError) in
                guard sent.request.method == .post else {
                    return .init(
                        200,
                        [
                            "id": "people", "_rid": "AAAAAIAAAAA=",
                            "_self": "dbs/AAAAAA==/colls/AAAAAIAAAAA=/", "_etag": "\"1\"",
                            "partitionKey": ["paths": ["/city"], "kind": "Hash"],
                        ])
                }
                let number = queries.next()
                guard number < pages.count else {
                    throw ReplicationError(.unreachable, "There is no connection.")
                }
                return .init(
                    200,
                    [
                        "_rid": "AAAAAIAAAAA=",
                        "Documents": .array(pages[number].ids.map { ["id": .string($0)] }),
                    ], pages[number].next.map { ["x-ms-continuation": $0] } ?? [:])
            }
            client = try .stubbed(
                by: transport, clock: LeapingClock(), retries: .never,
                cache: Cosmos.CacheConfiguration(folder: scratch.url))
        }

        func found(_ countMax: Int? = nil) -> Cosmos.Pages<Cosmos.DocumentProperties> {
            client.query(
                documentPropertiesIn: "people", inDatabase: "crm",
                with: Cosmos.Query().where("age", isGreaterThan: 1), andPartitionKey: "Bern",
                maxPerPage: countMax)
        }

        func close() async throws {
            client.reset()
            let folder = Cosmos.CacheConfiguration(folder: scratch.url)
                .folder(of: try Cosmos.Account(named: "contoso"))
            await Cosmos.OfflineStores.shared.close(folder)
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: [nil, 1])
    func `end where an empty page named itself`(
        _ countMax: Int?
    ) async throws {
        let answers = try Answers([(["1", "2"], "a"), ([], "a"), ([], "a")])
        let first = try await answers.found().first()
        #expect(!first.fromCache)
        // The third time, there is no connection any more, and what is kept answers.
        let rest = try await first.next()
        #expect(rest.fromCache && rest.resource.items.isEmpty)
        answers.client.isNetworkAvailable = false
        let kept = try await answers.found(countMax).all()
        #expect(kept.map(\.id) == ["1", "2"])
        try await answers.close()
    }

    @Test func `say that there is more, which is not kept`() async throws {
        let answers = try Answers([(["1", "2"], "a"), (["3"], "b")])
        let first = try await answers.found().first()
        _ = try await first.next()
        answers.client.isNetworkAvailable = false
        let kept = try await answers.found(10).first()
        #expect(kept.fromCache && kept.resource.items.map(\.id) == ["1", "2", "3"])
        #expect(kept.hasMoreResults)
        await #expect {
            try await kept.next()
        } throws: { isError(.unreachable)($0) }
        await #expect {
            try await answers.found(2).all()
        } throws: { isError(.unreachable)($0) }
        try await answers.close()
    }
}
