import SettleIndexing

/// How far a long piece of work on a database has come.
public struct MaintenanceProgress: Sendable, Equatable {
    /// How much is done, in the unit of the work: rows, documents, or bytes.
    public let completed: Int
    /// How much there is to do.
    public let total: Int

    /// Says how far the work has come.
    public init(completed: Int, total: Int) {
        self.completed = completed
        self.total = total
    }

    /// How far a build of an index has come, in documents.
    init(_ progress: IndexProgress) {
        self.init(completed: progress.completed, total: progress.total)
    }
}

/// Tells a closure how far work has come, every so many steps and not at every one.
final class ProgressCounter {
    private var completed = 0
    private var lastReport = 0
    private let total: Int
    private let stride: Int
    private let report: (@Sendable (MaintenanceProgress) -> Void)?

    init(total: Int, report: (@Sendable (MaintenanceProgress) -> Void)?) {
        self.total = total
        self.report = report
        stride = max(1, total / 1_000)
    }

    func advance(by count: Int) {
        completed += count
        guard let report, completed - lastReport >= stride else { return }
        lastReport = completed
        report(MaintenanceProgress(completed: min(completed, total), total: total))
    }

    func finish() {
        report?(MaintenanceProgress(completed: total, total: total))
    }
}
