#if Tracing
    import HTTPTypes
    import Hummingbird
    import InMemoryTracing
    import Settle
    import Testing
    import Tracing

    @testable import SettleServer

    @Suite(.serialized) struct `Spans of requests` {
        /// Sends requests to a server of each store; the spans that there were.
        private func spans(
            _ test: @escaping @Sendable (TestServer) async throws -> Void,
            _ check: @escaping @Sendable ([FinishedInMemorySpan]) throws -> Void
        ) async throws {
            try await TestServer.run { server in
                let tracer = InMemoryTracer()
                try await withTracer(tracer) { try await test(server) }
                try check(tracer.finishedSpans)
            }
        }

        @Test func `are named by method and route, below the span that the client names`()
            async throws
        {
            try await spans { server in
                var headers = HTTPFields()
                headers[try #require(.init(InMemoryTracer.traceIDKey))] = "outer-trace"
                headers[try #require(.init(InMemoryTracer.spanIDKey))] = "outer-span"
                let item: JSONValue = ["id": "very-secret-id", "text": "secret text"]
                let reply = try await server.send(
                    .post, "/tables/secret_table", item, headers: headers)
                #expect(reply.status == 201)
            } _: { spans in
                let request = try #require(spans.first { $0.kind == .server })
                #expect(request.operationName == "POST /tables/{table}")
                #expect(request.traceID == "outer-trace" && request.parentSpanID == "outer-span")
                #expect(request.attributes.get("http.request.method") == .string("POST"))
                #expect(request.attributes.get("http.route") == .string("/tables/{table}"))
                #expect(request.attributes.get("http.response.status_code") == .int64(201))
                #expect(request.status == nil)
                let commit = try #require(
                    spans.first {
                        $0.operationName == "settle.commit" && $0.parentSpanID == request.spanID
                    })
                #expect(commit.traceID == "outer-trace")
                #expect(!"\(spans.map { ($0.operationName, $0.attributes) })".contains("secret"))
            }
        }

        @Test func `of a write that is refused have a commit that has not failed`() async throws {
            try await spans { server in
                for status in [201, 409] {
                    let reply = try await server.send(.post, "/tables/t", ["id": "a"])
                    #expect(reply.status == status)
                }
                #expect(try await server.send(.delete, "/tables/t/b").status == 404)
            } _: { spans in
                let commits = spans.filter { $0.operationName == "settle.commit" }
                #expect(commits.count >= 3 && commits.allSatisfy { $0.status == nil })
            }
        }

        @Test func `hold nothing that a sender makes up`() async throws {
            try await spans { server in
                _ = try await server.send(.get, "/tables/secret_table/very-secret-id")
                _ = try await server.raw(.get, "/nowhere/secret?secret=1")
                _ = try await server.raw(try #require(.init(rawValue: "SECRET")), "/healthz")
            } _: { spans in
                #expect(
                    spans.map(\.operationName) == [
                        "GET /tables/{table}/{id}", "GET", "HTTP /healthz",
                    ])
                #expect(
                    spans.map { $0.attributes.get("http.response.status_code") } == [
                        .int64(404), .int64(404), .int64(405),
                    ])
                #expect(spans[1].attributes.get("http.route") == nil)
                #expect(spans[2].attributes.get("http.request.method") == .string("_OTHER"))
                // What a client did wrong is no failure of the server.
                #expect(spans.allSatisfy { $0.status == nil })
                let text = "\(spans.map { ($0.operationName, $0.attributes) })".lowercased()
                #expect(!text.contains("secret"))
            }
        }

        @Test func `of an answer from 500 on have failed`() async throws {
            let tracer = InMemoryTracer()
            let metrics = ServerMetrics(MetricsText(), bodyBytesMax: 1)
            withTracer(tracer) {
                for status in [HTTPResponse.Status.conflict, .serviceUnavailable] {
                    let request = Request(
                        head: HTTPRequest(
                            method: .get, scheme: "http", authority: "localhost", path: "/readyz"),
                        body: RequestBody(buffer: .init()))
                    let watch = RequestWatch(request, id: "id", metrics: metrics)
                    _ = watch.end(Response(status: status), logger: TestServer.quiet)
                }
            }
            let spans = tracer.finishedSpans
            #expect(spans.map { $0.status?.code } == [nil, .error])
            #expect(spans.last?.attributes.get("error.type") == .string("503"))
        }
    }
#endif
