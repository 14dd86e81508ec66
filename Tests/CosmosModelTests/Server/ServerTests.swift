import CosmosModel
import Foundation
import SettleDocuments
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The model over sockets of this machine.
@Suite(.serialized) struct `Server of the model` {
    private static func send(
        _ url: URL, _ method: String = "GET", _ path: String = "dbs", _ body: JSONValue? = nil
    ) async throws -> (status: Int, headers: [AnyHashable: Any], json: JSONValue) {
        let date = ModelTime.system.httpDate
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.jsonText.utf8) }
        request.setValue(date, forHTTPHeaderField: "x-ms-date")
        request.setValue(
            ModelAccount.authorization(method, path, date: date),
            forHTTPHeaderField: "authorization")
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        // A connection of its own: one that is used again and closed is tried again.
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let json = (try? JSONValue(jsonText: String(decoding: data, as: UTF8.self))) ?? .null
        return (http.statusCode, http.allHeaderFields, json)
    }

    private static func with(
        _ test: (ModelServer, URL) async throws -> Void
    ) async throws {
        let server = ModelServer()
        let url = try await server.start()
        do {
            try await test(server, url)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    @Test func `carries requests out`() async throws {
        try await Self.with { (server, url) async throws in
            #expect(try await Self.send(url, "POST", "dbs", ["id": "a b"]).status == 201)
            let read = try await Self.send(url, "GET", "dbs/a b")
            #expect(read.status == 200 && read.json["id"] == "a b")
            #expect(try await Self.send(url, "DELETE", "dbs/a b").status == 204)
            #expect(
                server.service.log.map(\.description) == [
                    "POST /dbs 201", "GET /dbs/a b 200", "DELETE /dbs/a b 204",
                ])
        }
    }

    @Test func `keeps its port and what it has over a stop`() async throws {
        let server = ModelServer()
        let url = try await server.start()
        #expect(try await Self.send(url, "POST", "dbs", ["id": "a"]).status == 201)
        try await server.stop()
        #expect(await Self.isCut(url))
        #expect(try await server.start() == url)
        #expect(try await Self.send(url).json["_count"] == 1)
        try await server.stop()
    }

    @Test func `throttles, and fails as often as it is told`() async throws {
        try await Self.with { (server, url) async throws in
            server.service.add(FaultRule(.throttle(retryAfterMilliseconds: 7), count: 2))
            server.service.add(FaultRule(.fail(status: 503)) { $0.method == "GET" })
            let throttled = try await Self.send(url)
            #expect(throttled.status == 429)
            #expect(throttled.headers["x-ms-retry-after-ms"] as? String == "7")
            #expect(try await Self.send(url).status == 429)
            #expect(try await Self.send(url, "POST", "dbs", ["id": "a"]).status == 201)
            #expect(try await Self.send(url).status == 503)
            #expect(try await Self.send(url).status == 200)
        }
    }

    /// Whether a request gets no response.
    private static func isCut(_ url: URL, _ method: String = "GET", _ body: JSONValue? = nil) async
        -> Bool
    {
        do {
            _ = try await send(url, method, "dbs", body)
            return false
        } catch {
            return error is URLError
        }
    }

    private static func databaseCount(_ url: URL) async throws -> JSONValue? {
        try await send(url).json["_count"]
    }

    @Test func `cuts the line before or after a request is carried out`() async throws {
        try await Self.with { (server, url) async throws in
            let post: @Sendable (ServiceRequest) -> Bool = { $0.method == "POST" }
            server.service.add(FaultRule(.cutBefore, where: post))
            #expect(await Self.isCut(url, "POST", ["id": "a"]))
            #expect(try await Self.databaseCount(url) == 0)
            server.service.add(FaultRule(.cutAfter, where: post))
            #expect(await Self.isCut(url, "POST", ["id": "a"]))
            #expect(try await Self.databaseCount(url) == 1)
            server.service.isOffline = true
            #expect(await Self.isCut(url))
            server.service.isOffline = false
            #expect(try await Self.databaseCount(url) == 1)
        }
    }

    @Test func `keeps requests and responses back until a gate is open`() async throws {
        try await Self.with { (server, url) async throws in
            for fault in [Fault.delayBefore, Fault.delayAfter] {
                let gate = FaultGate()
                let before = server.service.log.count
                server.service.add(FaultRule(fault(gate)))
                let request = Task { try await Self.send(url).status }
                await gate.arrivals()
                let isBefore = if case .delayBefore = fault(gate) { true } else { false }
                #expect(server.service.log.count == before + (isBefore ? 0 : 1))
                gate.open()
                #expect(try await request.value == 200)
            }
        }
    }

    @Test func `has a clock that is moved on`() async throws {
        let service = ModelService(clock: .manual(at: ModelTime(seconds: 1_000)))
        #expect(service.now == ModelTime(seconds: 1_000))
        service.advance(bySeconds: 5)
        #expect(service.now == ModelTime(seconds: 1_005))
        #expect(ModelTime(seconds: 0).httpDate == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(ModelTime(httpDate: "Thu, 27 Apr 2017 00:51:12 GMT")?.seconds == 1_493_254_272)
    }
}
