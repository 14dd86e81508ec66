import Settle

extension RunningReplication {
    /// Runs a part of a cycle in a span that says how much it did.
    ///
    /// - Parameters:
    ///   - name: The name of the span.
    ///   - cycle: The cycle.
    ///   - body: What to do; it returns a failure that does not break off the cycle.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    func traced<Cycle: CountedCycle>(
        _ name: String, _ cycle: inout Cycle,
        _ body: (inout Cycle) async throws -> ReplicationError?
    ) async throws -> ReplicationError? {
        let before = cycle.summary
        let span = TraceSpan(name)
        span.set("settle.remote", to: remote)
        var failure: (any Error)?
        defer {
            for (attribute, path) in Self.counts {
                span.set(attribute, to: cycle.summary[keyPath: path] - before[keyPath: path])
            }
            span.end(throwing: failure)
        }
        do {
            let failed = try await span.run { try await body(&cycle) }
            if let failed { span.fail("\(failed.code)") }
            return failed
        } catch {
            if let error = error as? ReplicationError {
                span.fail("\(error.code)")
            } else {
                failure = error
            }
            throw error
        }
    }

    private static var counts: [(String, any KeyPath<ReplicationSummary, Int> & Sendable)] {
        [
            ("settle.pushed", \.pushed), ("settle.pulled", \.pulled),
            ("settle.received", \.received), ("settle.conflicts", \.conflicts),
            ("settle.rejected", \.rejected),
        ]
    }
}
