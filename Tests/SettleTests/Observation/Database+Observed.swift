import Settle

extension Database {
    /// Returns when every observed query of an index has seen what was committed before the call.
    func observersAreUpToDate(on index: String) async throws {
        // The first result may be of a round that began before the call, the second of one that
        // has not come to all others yet; when the third is there, that round is over.
        for _ in 0..<3 {
            var results = queryResults(on: index).makeAsyncIterator()
            _ = try await results.next()
        }
    }

    /// Returns when everyone who observes documents has seen what was committed before the call.
    func documentObserversAreUpToDate() async throws {
        for _ in 0..<3 {
            var states = documentStates(of: "nobody").makeAsyncIterator()
            _ = try await states.next()
        }
    }
}

/// Tells when it is freed.
final class Token: Sendable {
    private let freed: Inbox<Void>

    init(_ freed: Inbox<Void>) { self.freed = freed }

    deinit { freed.put(()) }

    /// Keeps it alive until here.
    func use() {}
}
