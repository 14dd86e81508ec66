import Foundation

extension QueuedOperation {
    /// The start that the operation was handed out with.
    var start: OperationStart { OperationStart(number: number, count: startCount) }
}

extension OutboxTable {
    /// Whether an operation is started, and by that start.
    func isStarted(_ id: UUID, _ start: OperationStart) throws -> Bool {
        guard let key = try key(of: id), key.number == start.number, let row = try row(key) else {
            return false
        }
        return try row.startCount == UInt64(clamping: start.count)
            && isListed(key, in: .started, priority: 0)
    }
}
