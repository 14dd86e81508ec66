import Synchronization

/// A thread of its own that runs jobs one after the other.
///
/// For what belongs to one thread, as a write transaction of LMDB does; a serial dispatch queue may change
/// threads.
package final class WorkerThread: Sendable {
    private let jobs = JobQueue()
    private let thread: Lock<DedicatedThread?>
    private let identity: ThreadIdentity

    /// Starts the thread.
    ///
    /// - Parameter name: Shown by debuggers, at most 15 bytes of it on Linux.
    package init(name: String) {
        let started = DedicatedThread(name: name) { [jobs] in jobs.run() }
        identity = started.identity
        thread = Lock(started)
    }

    /// Adds a job to the end of the queue; after `stop` this traps.
    ///
    /// - Parameter job: Runs on the thread, after all submitted before.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        jobs.add(job)
    }

    /// Runs what is in the queue, then ends the thread and waits for its end.
    ///
    /// May be called more than once. On the thread itself it does not wait: the thread ends after
    /// the queue has run.
    package func stop() {
        jobs.close()
        guard let ending = thread.withLock({ $0.take() }) else { return }
        if ThreadIdentity.current == identity {
            ending.detach()
        } else {
            ending.join()
        }
    }

    deinit {
        // The last reference may go away inside a job, on the thread itself.
        stop()
    }
}

/// The queue of a worker thread; the thread holds it, and not the `WorkerThread` itself.
private final class JobQueue: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let queue = Monitor(Queue())

    func add(_ job: @escaping @Sendable () -> Void) {
        queue.withLock { queue in
            precondition(!queue.isClosed, "A job was given to a worker thread after its stop.")
            queue.jobs.append(job)
        }
    }

    func close() {
        queue.withLock { $0.isClosed = true }
    }

    func run() {
        while true {
            let jobs = queue.when { queue -> [@Sendable () -> Void]? in
                guard queue.jobs.isEmpty else {
                    defer { queue.jobs = [] }
                    return queue.jobs
                }
                return queue.isClosed ? [] : nil
            }
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }
}
