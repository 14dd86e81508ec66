#if Tracing
    import InMemoryTracing
    import Settle
    import Testing
    import Tracing

    @Suite struct `Spans of commits` {
        private struct Refused: Error {}

        @Test func `are below the span of the caller, and tell how many documents were changed`()
            async throws
        {
            let tracer = InMemoryTracer()
            try await withTracer(tracer) {
                try await withDatabase { database in
                    try await tracer.withSpan("caller") { _ in
                        _ = try await database.write { transaction in
                            try transaction.add(["id": "very-secret-1", "text": "secret"])
                            try transaction.add(["id": "very-secret-2", "text": "secret"])
                        }
                    }
                }
            }
            let spans = tracer.finishedSpans
            let caller = try #require(spans.first { $0.operationName == "caller" })
            let commit = try #require(spans.first { $0.parentSpanID == caller.spanID })
            #expect(commit.operationName == "settle.commit")
            #expect(commit.traceID == caller.traceID)
            #expect(commit.attributes.get("settle.documents") == .int64(2))
            #expect(commit.status == nil && commit.errors.isEmpty)
            #expect(!"\(spans.map { ($0.operationName, $0.attributes) })".contains("secret"))
        }

        @Test func `of a write that fails tell the kind of the error and not its sentence`()
            async throws
        {
            let tracer = InMemoryTracer()
            try await withTracer(tracer) {
                try await withDatabase { database in
                    _ = try await database.write { try $0.add(["id": "very-secret"]) }
                    tracer.clearFinishedSpans()
                    await #expect(throws: DatabaseError.self) {
                        try await database.write { try $0.add(["id": "very-secret"]) }
                    }
                    await #expect(throws: Refused.self) {
                        try await database.write { _ in throw Refused() }
                    }
                }
            }
            let spans = tracer.finishedSpans.filter { $0.status != nil }
            #expect(spans.map(\.operationName) == ["settle.commit", "settle.commit"])
            #expect(spans.allSatisfy { $0.status?.code == .error && $0.errors.isEmpty })
            #expect(
                spans.map { $0.attributes.get("error.type") } == [
                    .string("DatabaseError"), .string("Refused"),
                ])
        }
    }
#endif
