import ArgumentParser
import Foundation
import HTTPTypes
import Settle
import SettleCosmos
import SettleREST
import SettleSync

/// Reads a list of Cosmos DB page by page in a process of its own, and tells how much memory that took.
struct CosmosListProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cosmos-list-process", abstract: "Read a list and print the memory.",
        shouldDisplay: false)

    @Option(help: "How many documents there are.")
    var count: Int
    @Option(help: "An empty folder for the cache.")
    var database: String

    func run() async throws {
        let peer = try await CosmosPeer(
            in: URL(fileURLWithPath: database), transport: RepeatingStub(count: count))
        try await peer.readCollection()
        let before = try MemoryWatch.anonymousByteCount()
        let peak = try await MemoryWatch.peak {
            try BenchmarkError.check(
                try await peer.list(), is: count, "The documents that were listed")
        }
        peer.client.reset()
        let above = MemoryPeak(
            anonymous: max(peak.anonymous - before, 1), resident: peak.resident)
        print(String(decoding: try JSONEncoder().encode(above), as: UTF8.self))
    }

    /// Runs this program again to read a list.
    static func run(_ count: Int, folder: URL) throws -> MemoryPeak {
        try OwnProcess.report(
            ["cosmos-list-process", "--count", "\(count)", "--database", folder.path],
            as: MemoryPeak.self)
    }
}

/// A list of any length, of which no more is in memory than a page.
private struct RepeatingStub: HTTPTransport {
    let count: Int

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let name = HTTPField.Name("x-ms-continuation")
        let first = name.flatMap { request.headerFields[$0] }.flatMap { Int($0) } ?? 0
        var generator = DocumentGenerator()
        let made = (first..<min(first + 1_000, count)).map { generator.document($0) }
        let stub = CosmosStub(listed: DocumentSet(made))
        var plain = request
        if let name { plain.headerFields[name] = nil }
        var response = try await stub.send(plain, body: body, bodySizeMax: bodySizeMax)
        let next = first + 1_000
        if request.path?.hasSuffix("/docs") == true, next < count, let name {
            response.head.headerFields[name] = "\(next)"
        }
        return response
    }
}
