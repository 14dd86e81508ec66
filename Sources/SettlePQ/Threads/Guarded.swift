internal import Foundation

/// Which of the threads that wait for a change are woken.
enum Waking {
    case none, one, all
}

/// A value behind a lock, with threads waiting until the value allows something.
///
/// The value is only touched inside `withLock` and `take`, with the lock held; that is why the
/// class may call itself Sendable.
final class Guarded<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Runs the body with the value, then wakes threads that wait, so that they look again.
    ///
    /// To wake one is enough when each that waits could deal with the change.
    func withLock<R, E: Error>(
        waking: Waking = .all, _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        condition.lock()
        defer {
            switch waking {
            case .none: break
            case .one: condition.signal()
            case .all: condition.broadcast()
            }
            condition.unlock()
        }
        return try body(&value)
    }

    /// Blocks the thread until the body returns something, looking again after every change.
    func take<R>(_ body: (inout Value) -> R?) -> R {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = body(&value) { return result }
            condition.wait()
        }
    }

    /// Blocks the thread until the body returns something, but no longer than some seconds.
    ///
    /// - Returns: What the body returned; nil when the time was over before.
    func take<R>(withinSeconds seconds: Int, _ body: (inout Value) -> R?) -> R? {
        let deadline = Date(timeIntervalSinceNow: Double(seconds))
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = body(&value) { return result }
            if !condition.wait(until: deadline) { return body(&value) }
        }
    }
}
