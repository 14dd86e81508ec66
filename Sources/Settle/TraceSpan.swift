#if Tracing
    import Tracing
#endif

/// A span: a stretch of work with a name, a parent and numbers, for the tracer of the process.
///
/// Without the trait `Tracing` its calls are compiled to nothing. No name and no attribute holds contents or
/// identifiers of documents. Of an error only its type is recorded, because its sentence may name a document.
package struct TraceSpan: Sendable {
    #if Tracing
        private let span: any Tracing.Span
    #endif

    /// Begins a span below the current one; ``end(throwing:)`` follows.
    ///
    /// - Parameter name: Its name, one of few.
    package init(_ name: String) {
        #if Tracing
            span = InstrumentationSystem.tracer.startSpan(name, context: .current ?? .topLevel)
        #endif
    }

    /// Begins the span of a request that has come in; ``end(throwing:)`` follows.
    ///
    /// - Parameters:
    ///   - name: Its name, until ``rename(_:)``.
    ///   - field: The value of a header of the request, which may name the parent; nil for none.
    package init(serving name: String, field: @escaping @Sendable (String) -> String?) {
        #if Tracing
            var context = ServiceContext.topLevel
            InstrumentationSystem.instrument.extract(
                IncomingFields(value: field), into: &context, using: IncomingFields.Reader())
            span = InstrumentationSystem.tracer.startSpan(name, context: context, ofKind: .server)
        #endif
    }

    /// Gives the span another name.
    package func rename(_ name: @autoclosure () -> String) {
        #if Tracing
            span.operationName = name()
        #endif
    }

    /// Records a number.
    package func set(_ name: String, to value: Int) {
        #if Tracing
            span.attributes[name] = value
        #endif
    }

    /// Records a word; nil for nothing.
    package func set(_ name: String, to value: String?) {
        #if Tracing
            if let value { span.attributes[name] = value }
        #endif
    }

    /// Records that the work failed.
    ///
    /// - Parameter type: What kind of failure it was.
    package func fail(_ type: @autoclosure () -> String) {
        #if Tracing
            span.attributes["error.type"] = type()
            span.setStatus(SpanStatus(code: .error))
        #endif
    }

    /// Ends the span; with an error, as one that failed.
    package func end(throwing error: (any Error)? = nil) {
        #if Tracing
            if let error { fail("\(type(of: error))") }
            span.end()
        #endif
    }

    /// Does something whose spans are below this one.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    package func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        #if Tracing
            try await ServiceContext.$current.withValue(span.context, operation: body)
        #else
            try await body()
        #endif
    }

    /// Does something in a span of its own, which ends with it.
    ///
    /// - Parameters:
    ///   - name: The name of the span.
    ///   - isolation: Where `body` runs: as the caller.
    ///   - body: What to do.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    package static func with<Value>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (TraceSpan) async throws -> Value
    ) async rethrows -> Value {
        let span = TraceSpan(name)
        do {
            let value = try await span.run { try await body(span) }
            span.end()
            return value
        } catch {
            span.end(throwing: error)
            throw error
        }
    }

    /// Starts something that outlives the current span, and so is no part of its trace.
    ///
    /// - Returns: What `start` returns.
    package static func leaving<Value>(_ start: () -> Value) -> Value {
        #if Tracing
            ServiceContext.$current.withValue(.topLevel, operation: start)
        #else
            start()
        #endif
    }

    /// The headers that tell a server of which span a request is a part.
    package static var outgoingFields: [(name: String, value: String)] {
        #if Tracing
            guard let context = ServiceContext.current else { return [] }
            var fields = OutgoingFields()
            InstrumentationSystem.instrument.inject(
                context, into: &fields, using: OutgoingFields.Writer())
            return fields.all
        #else
            return []
        #endif
    }
}

#if Tracing
    /// The headers of a request that has come in.
    private struct IncomingFields: Sendable {
        let value: @Sendable (String) -> String?

        struct Reader: Extractor {
            func extract(key: String, from carrier: IncomingFields) -> String? {
                carrier.value(key)
            }
        }
    }

    /// The headers of a request that is sent.
    private struct OutgoingFields: Sendable {
        var all: [(name: String, value: String)] = []

        struct Writer: Injector {
            func inject(_ value: String, forKey key: String, into carrier: inout OutgoingFields) {
                carrier.all.append((key, value))
            }
        }
    }
#endif
