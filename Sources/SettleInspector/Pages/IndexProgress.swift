import Settle

/// How far the build of an index has come that goes on in this process.
struct IndexProgress {
    let completed: Int
    /// Of how many documents; 0 when that is not known yet.
    let total: Int

    /// What goes on; nil when nothing does.
    ///
    /// A build that was just asked for may have no status yet.
    init?(of name: String, _ status: IndexStatus?, _ request: PageRequest) {
        let isRunning = request.jobs.isRunning(IndexListPage.jobName(name, request.database))
        guard isRunning || status?.progress != nil else { return nil }
        completed = status?.progress?.completed ?? 0
        total = status?.progress?.total ?? 0
    }

    /// How far it is, in words.
    var text: String {
        total > 0
            ? "\(Amounts.count(completed)) of \(Amounts.count(total, "document")) mapped"
            : "The build has begun"
    }

    /// The bar that fills; nil when nothing goes on.
    static func bar(
        of name: String, _ status: IndexStatus?, _ request: PageRequest
    ) -> ProgressBar? {
        IndexProgress(of: name, status, request).map { progress in
            ProgressBar(
                events: request.address("index/events", ["name": name]),
                label: "Build of the index \(VisibleText.beginning(of: name))",
                text: progress.text, completed: progress.completed, total: progress.total,
                again: request.address("index", ["name": name]))
        }
    }
}
