/// Which of the threads that wait for a change are woken.
@usableFromInline package enum Waking {
    case none, one, all
}

/// A value behind a lock, with threads waiting until the value allows something.
///
/// Where no thread waits, ``Lock`` does. Neither may be locked again by the thread
/// that holds it. The value is only touched inside `withLock` and `when`, with the lock held; that is why
/// the class may call itself Sendable.
@usableFromInline package final class Monitor<Value>: @unchecked Sendable {
    @usableFromInline let lock = ConditionLock()
    @usableFromInline var value: Value

    /// - Parameter initial: The value until somebody changes it.
    @inlinable
    package init(_ initial: Value) {
        value = initial
    }

    /// Runs the body with the value, then wakes threads that wait, so that they look again.
    ///
    /// - Parameters:
    ///   - waking: Which threads; one is enough when each that waits could deal with the change.
    ///   - body: What to do.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; the threads are woken all the same.
    @inlinable
    package func withLock<R, E: Error>(
        waking: Waking = .all, _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        lock.lock()
        defer { lock.unlock(waking: waking) }
        return try body(&value)
    }

    /// Runs the body until it returns something, waiting for a change in between.
    ///
    /// Blocks the thread.
    ///
    /// - Parameters:
    ///   - waking: Which of the other threads that wait are woken when the body has returned something.
    ///   - body: What to do; it is called again after every change.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws.
    @inlinable
    package func when<R, E: Error>(
        waking: Waking = .all, _ body: (inout Value) throws(E) -> R?
    ) throws(E) -> R {
        lock.lock()
        defer { lock.unlock(waking: waking) }
        while true {
            if let result = try body(&value) { return result }
            lock.wait()
        }
    }

    /// As ``when(waking:_:)``, but no longer than some seconds.
    ///
    /// - Parameters:
    ///   - seconds: How long; setting the clock of the system does not change it.
    ///   - body: What to do; it is called at least once.
    /// - Returns: What `body` returned; nil when the time was over before.
    @inlinable
    package func when<R>(withinSeconds seconds: Double, _ body: (inout Value) -> R?) -> R? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        lock.lock()
        defer { lock.unlock(waking: .all) }
        while true {
            if let result = body(&value) { return result }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return nil }
            lock.wait(atMost: left)
        }
    }
}
