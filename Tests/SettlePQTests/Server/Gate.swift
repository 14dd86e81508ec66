import Foundation

/// A place where two threads wait for each other once.
final class Gate: Sendable {
    private let condition = NSCondition()
    private let arrived = Count()

    /// Blocks until the other thread is here, too.
    func meet() {
        condition.lock()
        defer { condition.unlock() }
        arrived.add()
        condition.broadcast()
        while arrived.value < 2 { condition.wait() }
    }
}
