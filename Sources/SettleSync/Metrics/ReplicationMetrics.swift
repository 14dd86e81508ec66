import CoreMetrics

/// Counts what a replication does.
///
/// The labels are listed in Docs/Guides/Replication.md; each has the remote as a dimension.
struct ReplicationMetrics: Sendable {
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

    init(remote: String, factory: any MetricsFactory) {
        self.remote = remote
        self.factory = factory
    }

    /// Counts what a cycle did since it was last counted.
    func note(_ cycle: inout ReplicationCycle, _ ending: Ending) {
        let (now, before) = (cycle.summary, cycle.counted)
        cycle.counted = now
        let counts: [(String, KeyPath<ReplicationSummary, Int>)] = [
            ("pushed", \.pushed), ("pulled", \.pulled), ("received", \.received),
            ("conflicts_settled", \.conflictsSettled), ("conflicts_left", \.conflicts),
            ("rejected", \.rejected), ("withheld", \.withheld), ("skipped", \.skipped),
            ("attachments_downloaded", \.attachmentsDownloaded),
        ]
        for (name, path) in counts where now[keyPath: path] > before[keyPath: path] {
            counter("settle_replication_\(name)_total", [])
                .increment(by: now[keyPath: path] - before[keyPath: path])
        }
        counter("settle_replication_cycles_total", [("ending", ending.label)]).increment()
    }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> Counter {
        Counter(label: label, dimensions: [("remote", remote)] + dimensions, factory: factory)
    }
}
