#if Tracing
    import Foundation
    import InMemoryTracing
    import Settle
    import SettleHosting
    import SettleREST
    import SettleServer
    import SettleSync
    import TestSupport
    import Testing
    import Tracing

    /// Spans of replications, and of the server that they talk to.
    @Suite(.serialized) struct `Traces of replications` {
        private let place: JourneyPlace
        private let tracer = InMemoryTracer()

        init() throws {
            place = try JourneyPlace("tracing")
        }

        private func configuration(
            _ table: URL, isRepeating: Bool = false
        ) async throws -> ReplicationConfiguration {
            let token = try await TableServer.token(
                secret: JourneyServer.secret, subject: "test")
            return ReplicationConfiguration(
                url: table, isRepeating: isRepeating,
                options: [AzureTablesBackend.OptionName.token: token])
        }

        private func fill(_ database: Database) async throws {
            try await database.write { transaction in
                for number in 0..<3 {
                    try transaction.add(["id": "secret-\(number)", "text": "secret text"])
                }
            }
        }

        private func spans(_ name: String) -> [FinishedInMemorySpan] {
            tracer.finishedSpans.filter { $0.operationName == name }
        }

        @Test func `lead from the app over its pushes and pulls to the server's commits`()
            async throws
        {
            try await withTracer(tracer) {
                let table = try await place.server.start()
                let (a, b) = (try await place.database("a"), try await place.database("b"))
                try await fill(a)
                tracer.clearFinishedSpans()
                try await tracer.withSpan("app") { _ in
                    _ = try await a.replicate(with: try await configuration(table))
                }
                let app = try #require(spans("app").first)
                let push = try #require(
                    spans("settle.push").first {
                        $0.attributes.get("settle.pushed") == .int64(3)
                    })
                #expect(push.parentSpanID == app.spanID && push.status == nil)
                let requests = tracer.finishedSpans.filter {
                    $0.kind == .server && $0.parentSpanID == push.spanID
                }
                #expect(!requests.isEmpty)
                let served = Set(requests.map(\.spanID))
                #expect(
                    spans("settle.commit").contains { served.contains($0.parentSpanID ?? "") })
                #expect(Set(tracer.finishedSpans.map(\.traceID)) == [app.traceID])

                tracer.clearFinishedSpans()
                _ = try await b.replicate(with: try await configuration(table))
                let pull = try #require(
                    spans("settle.pull").first {
                        $0.attributes.get("settle.pulled") == .int64(3)
                    })
                #expect(
                    spans("GET /tables/{table}").contains { $0.parentSpanID == pull.spanID })
                #expect(spans("settle.commit").contains { $0.parentSpanID == pull.spanID })
                let all = tracer.finishedSpans.map { ($0.operationName, $0.attributes) }
                #expect(!"\(all)".contains("secret"))
                try await place.server.stop()
                await a.close()
                await b.close()
            }
        }

        @Test func `of each part are a trace of its own while a replication repeats`()
            async throws
        {
            try await withTracer(tracer) {
                let table = try await place.server.start()
                let a = try await place.database("a")
                try await fill(a)
                tracer.clearFinishedSpans()
                try await tracer.withSpan("app") { _ in
                    let events = a.replicationEvents
                    try await a.startReplication(
                        with: try await configuration(table, isRepeating: true))
                    for await event in events { if case .completed = event { break } }
                    await a.stopReplication()
                }
                let parts = spans("settle.push") + spans("settle.pull")
                #expect(parts.count >= 2)
                #expect(parts.allSatisfy { $0.parentSpanID == nil })
                // What lasts between the parts is in the trace of nobody.
                let app = try #require(spans("app").first)
                #expect(tracer.finishedSpans.filter { $0.kind == .server }.count >= 2)
                #expect(
                    tracer.finishedSpans.allSatisfy {
                        $0.traceID != app.traceID || $0.spanID == app.spanID
                            || $0.operationName == "settle.commit"
                    })
                try await place.server.stop()
                await a.close()
            }
        }

        @Test func `hold no addresses with AsyncHTTPClient either, which would record them`()
            async throws
        {
            try await withTracer(tracer) {
                let table = try await place.server.start()
                let a = try await place.database("a")
                try await fill(a)
                tracer.clearFinishedSpans()
                // Made while there is a tracer, which the client would take for its own.
                let transport = AsyncHTTPClientTransport()
                var configuration = try await configuration(table)
                configuration.options[AzureTablesBackend.OptionName.transport] = transport
                _ = try await a.replicate(with: configuration)
                await transport.shutdown()
                let all = tracer.finishedSpans
                #expect(all.contains { $0.operationName == "settle.push" })
                #expect(all.contains { $0.kind == .server && $0.parentSpanID != nil })
                #expect(!all.contains { $0.kind == .client })
                #expect(!"\(all.map { ($0.operationName, $0.attributes) })".contains("secret"))
                try await place.server.stop()
                await a.close()
            }
        }

        @Test func `tell that a pull failed, by the kind of the error`() async throws {
            try await withTracer(tracer) {
                let table = try await place.server.start()
                try await place.server.stop()
                let a = try await place.database("a")
                var configuration = try await configuration(table)
                configuration.retryLimit = 0
                do {
                    _ = try await a.replicate(with: configuration)
                    Issue.record("There is no server.")
                } catch let error as ReplicationError {
                    #expect(error.code == .unreachable)
                }
                let pull = try #require(spans("settle.pull").last)
                #expect(pull.status?.code == .error && pull.errors.isEmpty)
                #expect(pull.attributes.get("error.type") == .string("unreachable"))
                await a.close()
            }
        }
    }
#endif
