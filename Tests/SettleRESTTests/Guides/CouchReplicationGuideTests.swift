import Foundation
import HTTPTypes
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// The code of the section "Replicating with CouchDB" of Docs/Guides/CouchDB.md, run.
@Suite struct `The guide to replicating with CouchDB` {
    @Test func `replicates with a name and a password`() async throws {
        try await withScratchDirectory("couch-guide") { scratch in
            let database = try await Database.openOrCreate(
                .init(name: "guide", fileLocation: scratch.url))
            let notes = try #require(URL(string: "couchdb+https://example.org/notes"))
            let password = "secret"
            var configuration = ReplicationConfiguration(url: notes, isRepeating: false)
            configuration.options[CouchBackend.OptionName.user] = "jo"
            configuration.options[CouchBackend.OptionName.password] = password
            let transport = FakeTransport([
                .json(404, "{}"), .json(200, #"{"instance_start_time":"0"}"#), .json(404, "{}"),
                .json(200, #"{"results":[],"last_seq":"0-x","pending":0}"#), .json(404, "{}"),
            ])
            configuration.options[CouchBackend.OptionName.transport] = transport
            let summary = try await database.replicate(with: configuration)
            #expect(summary == ReplicationSummary())
            #expect(transport.lines.first?.hasPrefix("POST /_session") == true)
            await database.close()
        }
    }

    @Test func `is the guide's code`() throws {
        let guide = try String(
            contentsOf: Fixture.packageRoot.appendingPathComponent("Docs/Guides/CouchDB.md"),
            encoding: .utf8)
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let section = try #require(
            guide.components(separatedBy: "\n## ").first { $0.hasPrefix("Replicating") })
        let code = try #require(section.components(separatedBy: "```swift\n").dropFirst().first)
        let lines = code.components(separatedBy: "```")[0].split(separator: "\n")
        #expect(lines.count == 4)
        for line in lines { #expect(source.contains("            \(line)\n"), "\(line)") }
    }
}
