import CoreMetrics
import SettlePrimitives
import Synchronization

/// Counts what a replication does.
///
/// The labels are listed in Docs/Guides/Replication.md; each has the remote as a dimension. Each
/// counter is made when there is something to count for the first time.
final class ReplicationMetrics: Sendable {
    /// How a cycle ended.
    enum Ending: Sendable {
        case completed
        case failed(ReplicationError.Code)
        case stopped

        fileprivate var label: String {
            switch self {
            case .completed: "completed"
            case .failed(let code): "failed.\(code)"
            case .stopped: "stopped"
            }
        }
    }

    private let remote: String
    private let factory: any MetricsFactory
    /// The counters that were made, by what tells them apart.
    private let counters = Lock<[String: Counter]>([:])

    init(remote: String, factory: any MetricsFactory) {
        self.remote = remote
        self.factory = factory
    }

    /// Counts as a configuration says; nil when nothing is counted.
    convenience init?(of remote: String, _ configuration: ReplicationConfiguration) {
        guard let factory = configuration.metrics else { return nil }
        self.init(remote: remote, factory: factory)
    }

    private typealias Path = any KeyPath<ReplicationSummary, Int> & Sendable

    private static let counts: [(label: String, path: Path)] = [
        ("pushed", \.pushed), ("pulled", \.pulled), ("received", \.received),
        ("conflicts_resolved", \.conflictsResolved), ("conflicts_left", \.conflicts),
        ("rejected", \.rejected), ("withheld", \.withheld), ("skipped", \.skipped),
        ("attachments_downloaded", \.attachmentsDownloaded),
    ]

    /// Counts what a cycle did since it was last counted.
    func note(_ cycle: inout some CountedCycle, _ ending: Ending) {
        let (now, before) = (cycle.summary, cycle.counted)
        cycle.counted = now
        for (label, path) in Self.counts where now[keyPath: path] > before[keyPath: path] {
            counter(label).increment(by: now[keyPath: path] - before[keyPath: path])
        }
        counter("cycles", ending: ending.label).increment()
    }

    private func counter(_ label: String, ending: String? = nil) -> Counter {
        counters.withLock { counters in
            let key = label + (ending.map { " " + $0 } ?? "")
            if let counter = counters[key] { return counter }
            let dimensions = [("remote", remote)] + (ending.map { [("ending", $0)] } ?? [])
            let counter = Counter(
                label: "settle_replication_\(label)_total", dimensions: dimensions,
                factory: factory)
            counters[key] = counter
            return counter
        }
    }
}
