import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Replication by revisions` {
    @Test func `brings everything to the other side, and then nothing`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            for number in 0..<30 {
                try await a.add(Self.document("a\(number)", number))
                try await b.add(Self.document("b\(number)", number))
            }
            try await a.write { _ = try $0.delete(documentWithId: "a3") }
            let first = try await world.replicate("a", with: "b")
            #expect(first.pulled == 30 && first.pushed == 30)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            #expect(try a.read { try $0.document("a3") } == nil)
            _ = world.transport.takeLog()
            // What was sent comes back in the feed, and is known.
            #expect(try await world.replicate("a", with: "b").pulled == 0)
            #expect(!world.transport.takeLog().contains { $0.contains("_bulk") })
            #expect(try await world.replicate("a", with: "b") == ReplicationSummary())
            let idle = world.transport.takeLog()
            #expect(idle.filter { $0.hasPrefix("PUT") || $0.hasPrefix("POST") } == [])
            #expect(idle.count == 4)
        }
    }

    @Test func `makes the same conflicts everywhere, and their end`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await a.add(Self.document("x", 0))
            try await world.replicate("a", with: "b")
            try await a.save(changed(a, "x", 1))
            try await b.save(changed(b, "x", 2))
            let summary = try await world.replicate("a", with: "b")
            #expect(summary.conflicts == 1)
            let state = try await world.state(of: "a")
            #expect(state["x"]?.count == 2)
            #expect(try await world.state(of: "b") == state)
            try await b.resolveConflicts(of: "x", with: Self.document("x", 3))
            #expect(try await world.replicate("a", with: "b").conflicts == 0)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            #expect(try a.read { try $0.document("x")?["n", as: Int.self] } == 3)
        }
    }

    @Test func `keeps what comes before a page that cannot be listed`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            for number in 0..<28 { try await b.add(Self.document("d\(number)", number)) }
            var configuration = try world.configuration(with: "b", direction: .serverToClient)
            configuration.options[CouchBackend.OptionName.transport] = CutTransport(
                world.transport, "/_changes", passing: 2)
            let error = await #expect(throws: ReplicationError.self) {
                try await a.replicate(with: configuration)
            }
            #expect(error?.code == .unreachable)
            // Two pages of seven.
            #expect(try a.totalDocumentCount == 14)
            // And again, from there on.
            configuration.options[CouchBackend.OptionName.transport] = CutTransport(
                world.transport, "/_changes", passing: 1)
            await #expect(throws: ReplicationError.self) {
                try await a.replicate(with: configuration)
            }
            #expect(try a.totalDocumentCount == 21)
            #expect(try await world.replicate("a", with: "b").pulled == 7)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    private static func document(_ id: String, _ n: Int) -> Document {
        var document = Document(id: id)
        document["n"] = n
        return document
    }

    private func changed(_ database: Database, _ id: String, _ n: Int64) throws -> Document {
        var document = try #require(try database.read { try $0.document(id) })
        document[json: "n"] = .integer(n)
        return document
    }

    @Test func `lets the handler decide conflicts that come`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await a.add(Self.document("x", 0))
            try await world.replicate("a", with: "b")
            try await a.save(changed(a, "x", 1))
            try await b.save(changed(b, "x", 2))
            var configuration = try world.configuration(with: "b")
            configuration.conflictHandler = .localWins
            let summary = try await a.replicate(with: configuration)
            #expect(summary.conflictsResolved == 1 && summary.conflicts == 0)
            #expect(try b.read { try $0.document("x")?["n", as: Int.self] } == 1)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    @Test func `carries attachments both ways, and content once`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            var document = Self.document("x", 0)
            document.attachments = [
                DocumentAttachment(name: "t", contentType: "text/plain", data: Data("hello".utf8))
            ]
            try await b.add(document)
            let first = try await world.replicate("a", with: "b")
            #expect(first.attachmentsDownloaded == 1)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            try await b.save(changed(b, "x", 1))
            let second = try await world.replicate("a", with: "b")
            #expect(second.pulled == 1 && second.attachmentsDownloaded == 0)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            try await a.save(changed(a, "x", 2))
            #expect(try await world.replicate("a", with: "b").pushed == 1)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            let content = try b.read { try $0.document("x")?.attachments.first?.data() }
            #expect(content == Data("hello".utf8))
        }
    }

    @Test func `goes one way when it is told to`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await a.add(Document(id: "x"))
            try await b.add(Document(id: "y"))
            try await world.replicate("a", with: "b", direction: .serverToClient)
            #expect(try await world.state(of: "a").keys.sorted() == ["x", "y"])
            #expect(try await world.state(of: "b").keys.sorted() == ["y"])
            try await world.replicate("a", with: "b", direction: .clientToServer)
            #expect(try await world.state(of: "b").keys.sorted() == ["x", "y"])
        }
    }

    @Test(arguments: [FaceTransport.Cut.request, .answer])
    func `repeats at most a batch wherever it is cut`(_ cut: FaceTransport.Cut) async throws {
        for place in stride(from: cut == .request ? 0 : 1, to: 24, by: 2) {
            try await withRevisionWorld(["a", "b"]) { world in
                let (a, b) = (try await world.database("a"), try await world.database("b"))
                for number in 0..<16 {
                    try await a.add(Document(id: "a\(number)"))
                    try await b.add(Document(id: "b\(number)"))
                }
                world.transport.cut(after: place, cut)
                let first = try? await world.replicate("a", with: "b")
                world.transport.mend()
                await world.restart()
                let second = try await world.replicate("a", with: "b")
                #expect(try await world.state(of: "a") == world.state(of: "b"))
                #expect(try await world.state(of: "a").count == 32, "cut after \(place)")
                if first == nil { #expect(second.pulled <= 16 && second.pushed <= 16) }
            }
        }
    }

    @Test func `begins anew with a remote that was made anew`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            for number in 0..<10 { try await a.add(Document(id: "\(number)")) }
            try await world.replicate("a", with: "b")
            try await world.database("b").write { _ = try $0.delete(documentWithId: "3") }
            try await world.replicate("a", with: "b")
            try await world.databases.delete("b")
            try await world.databases.create("b")
            #expect(try await world.replicate("a", with: "b").pushed == 10)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    @Test func `offers a remote what it lost when it was restored from a copy`() async throws {
        try await withRevisionWorld(["a", "b", "copy"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await b.save(Self.document("x", 0))
            try await world.replicate("a", with: "b")
            let copies = try world.directory.folder("copies")
            let configuration = try await b.backup(to: copies)
            // This one is not in the copy.
            try await b.save(Self.document("y", 0))
            #expect(try await world.replicate("a", with: "b").pulled == 1)
            try await world.databases.delete("b")
            let copy = try await Database.openOrCreate(configuration)
            try await copy.backup(to: world.directory.url)
            await copy.close()
            #expect(try await world.replicate("a", with: "b").pushed == 1)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            withExtendedLifetime(a) {}
        }
    }

    @Test func `writes one log for all pages of what it sent itself`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            for number in 0..<30 { try await a.add(Document(id: "\(number)")) }
            try await world.replicate("a", with: "b", direction: .clientToServer)
            _ = world.transport.takeLog()
            #expect(try await world.replicate("a", with: "b").received == 30)
            let lines = world.transport.takeLog()
            #expect(lines.count { $0.hasPrefix("GET /b/_changes") } == 5)
            #expect(lines.count { $0.hasPrefix("PUT /b/_local") } == 1)
        }
    }

    @Test func `offers nothing that it has just fetched`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let b = try await world.database("b")
            for number in 0..<10 { try await b.add(Document(id: "\(number)")) }
            try await world.replicate("a", with: "b")
            #expect(!world.transport.takeLog().contains { $0.contains("_revs_diff") })
        }
    }

    @Test func `sends what the filter delegate lets pass`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            let filter = OnlyEven()
            a.replicationFilterDelegate = filter
            for number in 0..<10 {
                try await a.add(
                    Self.document("\(number)", number))
            }
            let summary = try await world.replicate("a", with: "b")
            #expect(summary.pushed == 5 && summary.withheld == 5)
            withExtendedLifetime(filter) {}
        }
    }

    private final class OnlyEven: ReplicationFilterDelegate {
        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool {
            (document["n", as: Int.self] ?? 1) % 2 == 0
        }
    }

    @Test func `fetches named documents alone`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            for number in 0..<10 { try await b.add(Document(id: "\(number)")) }
            var configuration = try world.configuration(with: "b", direction: .serverToClient)
            configuration.options[CouchBackend.OptionName.documentIds] = ["3", "7"]
            #expect(try await a.replicate(with: configuration).pulled == 2)
            #expect(try await world.state(of: "a").keys.sorted() == ["3", "7"])
            // Another selection begins at the beginning.
            #expect(try await world.replicate("a", with: "b").pulled == 8)
        }
    }

    @Test func `refuses what it does not have`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            var configuration = try world.configuration(with: "b")
            configuration.scope = .documents(ofType: "note")
            await #expect(throws: ReplicationError.self) {
                try await a.replicate(with: configuration)
            }
            await #expect(throws: ReplicationError.self) {
                try await a.replicate(with: world.configuration(with: "missing"))
            }
        }
    }
}

/// A transport that passes on some requests of a kind, and loses all others of it.
private final class CutTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let part: String
    private let left: Mutex<Int>

    init(_ base: any HTTPTransport, _ part: String, passing count: Int) {
        self.base = base
        self.part = part
        left = Mutex(count)
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        if request.path?.contains(part) == true {
            let passes = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if !passes { throw ReplicationError(.unreachable, "The request is lost.") }
        }
        return try await base.send(request, body: body, bodySizeMax: bodySizeMax)
    }
}
