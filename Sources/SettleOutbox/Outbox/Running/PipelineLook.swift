import Foundation

/// What a look at the queue of a pipeline found.
struct PipelineLook: Sendable {
    /// The operations that were started.
    var operations: [QueuedOperation] = []
    var isEmpty = true
    /// When the first of the held operations may start.
    var nextDate: Date?
    /// When it was looked.
    var now: Date
    /// The number of the pipeline, when one of its operations may start.
    var startable: UInt32?
}

extension PipelineLook {
    /// Looks at a queue, which stays as it is.
    ///
    /// - Throws: What the database throws when it cannot be read.
    init(atPipelineNamed name: String, _ now: Date, in table: OutboxTable) throws {
        self.init(now: now)
        guard let record = try table.pipeline(named: name) else { return }
        nextDate = try table.nextHoldDate(of: record.number)
        isEmpty = try table.lowestGraph(of: record.number) == nil
        let isReady = try !table.keys(in: .ready, of: record.number, countMax: 1).isEmpty
        if isReady || nextDate.map({ $0 <= now }) ?? false { startable = record.number }
    }
}
