import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization
import Testing

/// A table that refuses pages of more rows than it likes.
private final class SmallPages: HTTPTransport {
    /// The most rows of a page; 0 refuses every page.
    let sizeMax: Int
    /// What it says when it refuses.
    let sentence: String
    private let tops = Mutex<[Int]>([])

    init(sizeMax: Int, sentence: String) {
        (self.sizeMax, self.sentence) = (sizeMax, sentence)
    }

    /// The sizes that it was asked for.
    var asked: [Int] { tops.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let parts = (request.path ?? "").split(separator: "$top=")
        let top = parts.last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        tops.withLock { $0.append(top) }
        if top > sizeMax { return .json(400, #"{"error":"\#(sentence)"}"#) }
        return .json(200, "[]")
    }
}

@Suite(.serialized) struct `Page sizes` {
    private func backend(
        _ transport: some HTTPTransport, dialect: AzureTablesBackend.Dialect? = .v2
    ) throws -> AzureTablesBackend {
        try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: transport,
            dialect: dialect)
    }

    private func pull(_ backend: AzureTablesBackend, _ countMax: Int = 500) async throws {
        _ = try await backend.pull(
            PullQuery(), after: nil, itemCountMax: countMax, isFirstPage: true)
    }

    @Test func `become what the server says it gives, and stay so`() async throws {
        let table = SmallPages(
            sizeMax: 100,
            sentence: "The limit of '100' for Top query has been exceeded. The value from the "
                + "incoming request is '500'.")
        let backend = try backend(table)
        try await pull(backend)
        #expect(table.asked == [500, 100, 100])
        try await pull(backend)
        try await pull(backend, 50)
        #expect(table.asked == [500, 100, 100, 100, 50])
        _ = try await backend.list(PullQuery(), after: nil, itemCountMax: 500)
        #expect(table.asked.last == 100)
    }

    @Test(arguments: ["Too many.", "Rule 7 says that this is too many.", "At most 300, or 20."])
    func `are halved when the server does not say what it gives`(sentence: String) async throws {
        let table = SmallPages(sizeMax: 70, sentence: sentence)
        let backend = try backend(table)
        try await pull(backend)
        let last = try #require(table.asked.last)
        #expect(last == (sentence.contains("7 ") ? 7 : 62), "\(table.asked)")
        let count = table.asked.count
        try await pull(backend)
        #expect(table.asked.dropFirst(count) == [last])
    }

    @Test func `are not at fault when one row is refused as well`() async throws {
        let table = SmallPages(sizeMax: 0, sentence: "There is no column 'updatedAt'.")
        let backend = try backend(table)
        await #expect {
            try await pull(backend)
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .misconfigured && error?.message.contains("updatedAt") ?? false
        }
        #expect(table.asked == [500, 1])
    }

    @Test func `are found while it is found out what the server speaks`() async throws {
        let table = SmallPages(sizeMax: 100, sentence: "Too many.")
        let backend = try backend(table, dialect: nil)
        try await pull(backend)
        #expect(table.asked.last == 62)
    }
}
