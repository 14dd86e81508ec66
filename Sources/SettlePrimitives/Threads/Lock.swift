#if SETTLE_SANITIZED_LOCKS
    /// A value behind a lock.
    ///
    /// Sanitizers know the system's mutex, and not that of the standard library on Linux: to ThreadSanitizer all
    /// that is done under it is a race. So a build for them has this type in its place.
    package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private final class Storage {
            let lock = ConditionLock()
            // Touched with the lock held, by one thread at a time; the class is nobody else's.
            nonisolated(unsafe) var value: Value

            init(_ value: consuming Value) {
                unsafe self.value = value
            }
        }

        private let storage: Storage

        package init(_ value: consuming sending Value) {
            storage = Storage(value)
        }

        /// Runs a closure with the value, which no other thread touches meanwhile.
        package borrowing func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            storage.lock.lock()
            defer { storage.lock.unlock(waking: .none) }
            return try unsafe body(&storage.value)
        }
    }
#else
    package import Synchronization

    /// A value behind a lock: the standard library's, but in a build for sanitizers, which do not know that one.
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
