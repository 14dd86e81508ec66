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

    @Test func `gives up what is refused, and forgets a remote`() async throws {
        try await withScratchDirectory("couch-guide") { scratch in
            let database = try await Database.openOrCreate(
                .init(name: "guide", fileLocation: scratch.url))
            let revision = try await database.save(Document(id: "x")).metaData.revision ?? ""
            let missing = FullHTTPResponse.json(404, #"{"error":"not_found","reason":"missing"}"#)
            let begun = FullHTTPResponse.json(200, #"{"instance_start_time":"0"}"#)
            let transport = FakeTransport([
                begun, missing, .json(200, #"{"results":[],"last_seq":"0-x","pending":0}"#),
                missing, .json(200, "{\"x\":{\"missing\":[\"\(revision)\"]}}"),
                .json(201, #"[{"id":"x","error":"forbidden","reason":"only on Fridays"}]"#),
                .json(201, #"{"instance_start_time":"0"}"#), .json(201, #"{"rev":"0-1"}"#),
                // What the remote has of it.
                begun, missing,
            ])
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "couchdb+https://example.org/notes")),
                isRepeating: false)
            configuration.options[CouchBackend.OptionName.transport] = transport
            #expect(try await database.replicate(with: configuration).rejected == 1)
            let remote = "couchdb+https://example.org/notes"
            for operation in try database.rejectedOperations(with: remote) {
                try await database.withdraw(operation, .takeTheirs, with: configuration)
            }
            try await database.purgeReplicatedDocuments(of: remote)
            #expect(transport.lines.last == "GET /notes/x?revs=true&latest=true&open_revs=all")
            #expect(try database.pendingOperations().isEmpty)
            #expect(try await database.fetchDocument("x") == nil)
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
        let blocks = section.components(separatedBy: "```swift\n").dropFirst()
        let lines = blocks.flatMap {
            $0.components(separatedBy: "```")[0].split(separator: "\n")
        }
        #expect(lines.count == 9)
        for line in lines { #expect(source.contains("            \(line)\n"), "\(line)") }
    }
}
