import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport
import Testing

@Suite struct `Attachments of revisions` {
    private static func content(_ length: Int, seed: UInt8) -> Data {
        Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed })
    }

    private static func document(
        _ id: String, _ contents: [(name: String, length: Int)]
    ) -> Document {
        var document = Document(id: id)
        document.attachments = contents.enumerated().map { place, content in
            DocumentAttachment(
                name: content.name, contentType: "image/png",
                data: Self.content(content.length, seed: UInt8(place)))
        }
        return document
    }

    private func attachments(_ database: Database, _ id: String) async throws -> [String: Data] {
        let attachments = try await database.fetchDocument(id)?.attachments ?? []
        return try Dictionary(attachments.map { ($0.name, try $0.data()) }) { first, _ in first }
    }

    // In the order in which they come back.
    private static let large = [
        ("empty", 0), ("small", 10), ("ä b/\"c\".png", 3 << 20), ("\u{301}accent; =\u{301}", 3),
    ]

    @Test func `go in parts when they are long`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await a.save(Self.document("large", Self.large))
            try await a.save(Self.document("small", [("x", 1_000), ("y", 2_000)]))
            try await world.replicate("a", with: "b")
            let lines = world.transport.takeLog()
            #expect(lines.filter { $0.hasPrefix("PUT /b/large") }.count == 1)
            #expect(!lines.contains { $0.hasPrefix("PUT /b/small") })
            #expect(try await attachments(a, "large") == attachments(b, "large"))
            #expect(try await attachments(b, "large").count == 4)
            #expect(try await attachments(a, "small") == attachments(b, "small"))
        }
    }

    @Test func `come together when they are short, and by themselves when they are long`()
        async throws
    {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            let many = (0..<12).map { ("\($0)", 200_000 + $0) }
            try await b.save(Self.document("many", many))
            try await b.save(Self.document("long", [("l", 5 << 20), ("s", 100)]))
            let summary = try await world.replicate("a", with: "b")
            #expect(summary.attachmentsDownloaded == 14)
            let lines = world.transport.takeLog()
            #expect(lines.count { $0.hasPrefix("GET /b/many") } == 1)
            #expect(lines.count { $0.hasPrefix("GET /b/long/l") } == 2)
            for id in ["many", "long"] {
                #expect(try await attachments(a, id) == attachments(b, id))
            }
            // One is another now: the others do not come again.
            var changed = try #require(try await b.fetchDocument("many"))
            changed.attachments[3] = DocumentAttachment(
                name: "3", contentType: "image/png", data: Self.content(9, seed: 77))
            changed.attachments[4] = DocumentAttachment(
                name: "4", contentType: "image/png", data: Self.content(9, seed: 78))
            try await b.save(changed)
            #expect(try await world.replicate("a", with: "b").attachmentsDownloaded == 2)
            #expect(try await attachments(a, "many") == attachments(b, "many"))
        }
    }

    @Test func `are not sent again with the next revision`() async throws {
        try await withRevisionWorld(["a", "b", "c"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            try await a.save(Self.document("large", Self.large))
            try await world.replicate("a", with: "b")
            _ = world.transport.takeSentSizes()
            for number in 1...2 {
                var changed = try #require(try await a.fetchDocument("large"))
                changed["n"] = number
                try await a.save(changed)
                #expect(try await world.replicate("a", with: "b").pushed == 1)
            }
            #expect(world.transport.takeSentSizes().max() ?? 0 < 4_096)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            // Nor are those that came from there.
            var theirs = try #require(try await b.fetchDocument("large"))
            theirs.attachments.append(
                DocumentAttachment(
                    name: "new", contentType: "image/png", data: Self.content(1 << 20, seed: 9)))
            try await b.save(theirs)
            try await world.replicate("a", with: "b")
            var ours = try #require(try await a.fetchDocument("large"))
            ours["n"] = 3
            try await a.save(ours)
            _ = world.transport.takeSentSizes()
            try await world.replicate("a", with: "b")
            #expect(world.transport.takeSentSizes().max() ?? 0 < 4_096)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            // Another remote gets everything.
            try await world.replicate("a", with: "c")
            let c = try await world.database("c")
            #expect(try await attachments(c, "large") == attachments(a, "large"))
            #expect(try await a.check().isEmpty)
        }
    }

    @Test(arguments: [100, 200_000])
    func `are sent again when they have another type`(_ length: Int) async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            try await a.save(Self.document("x", [("kept", 100_000), ("typed", length)]))
            try await world.replicate("a", with: "b")
            _ = world.transport.takeSentSizes()
            var changed = try #require(try await a.fetchDocument("x"))
            let typed = try #require(changed.attachments.firstIndex { $0.name == "typed" })
            changed.attachments[typed] = DocumentAttachment(
                name: "typed", contentType: "text/plain",
                data: try changed.attachments[typed].data())
            try await a.save(changed)
            try await world.replicate("a", with: "b")
            #expect(try await world.state(of: "a") == world.state(of: "b"))
            // The other one need not go again.
            #expect(world.transport.takeSentSizes().max() ?? 0 < length + 4_096)
        }
    }

    @Test func `are refused with their document in parts`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let a = try await world.database("a")
            try await a.save(Self.document("large", Self.large))
            try await a.save(Document(id: "other"))
            world.transport.refuse(["large"])
            let summary = try await world.replicate("a", with: "b")
            #expect(summary.pushed == 1 && summary.rejected == 1)
            #expect(try a.rejectedOperations().map(\.statusCode) == [403])
            world.transport.refuse([])
            #expect(try await world.replicate("a", with: "b").pushed == 1)
            #expect(try await world.state(of: "a") == world.state(of: "b"))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `of several revisions come at once, as many as may`() async throws {
        try await withRevisionWorld(["a", "b"]) { world in
            let (a, b) = (try await world.database("a"), try await world.database("b"))
            // More than is kept in memory until their documents are stored.
            for number in 0..<20 {
                try await b.save(Self.document("d\(number)", [("x\(number)", (1 << 20) - number)]))
            }
            let transport = GatheringTransport(world.transport, count: 3)
            var configuration = try world.configuration(with: "b", direction: .serverToClient)
            configuration.options[CouchBackend.OptionName.transport] = transport
            configuration.pageSize = 20
            configuration.concurrentRequestsMax = 3
            let summary = try await a.replicate(with: configuration)
            #expect(summary.pulled == 20 && summary.attachmentsDownloaded == 20)
            #expect(transport.countMax == 3)
            for number in 0..<20 {
                #expect(
                    try await attachments(a, "d\(number)") == attachments(b, "d\(number)"))
            }
            #expect(try a.statistics().waitingContentCount == 0)
            #expect(try await a.check().isEmpty)
        }
    }
}

/// A transport that holds back requests for contents until as many are under way as may be, once.
private final class GatheringTransport: HTTPTransport {
    private struct State {
        var count = 0
        var countMax = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen = false
    }

    private let base: any HTTPTransport
    private let count: Int
    private let state = Mutex(State())

    init(_ base: any HTTPTransport, count: Int) {
        self.base = base
        self.count = count
    }

    /// How many were under way at once.
    var countMax: Int { state.withLock { $0.countMax } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        guard request.path?.contains("/x") == true else {
            return try await base.send(request, body: body, bodySizeMax: bodySizeMax)
        }
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.count += 1
                state.countMax = max(state.countMax, state.count)
                state.waiting.append(continuation)
                if state.count == count { state.isOpen = true }
                defer { if state.isOpen { state.waiting = [] } }
                return state.isOpen ? state.waiting : []
            }
            for continuation in ready { continuation.resume() }
        }
        defer { state.withLock { $0.count -= 1 } }
        return try await base.send(request, body: body, bodySizeMax: bodySizeMax)
    }
}
