#if canImport(Darwin)
    import Darwin
#else
    import CLMDB
    import Glibc
#endif

/// A thread of its own that runs jobs one after the other.
///
/// A write transaction belongs to one thread; a serial dispatch queue may change threads.
package final class WriterThread: Sendable {
    private let work: WriterWork
    private let thread: Monitor<pthread_t?>
    private let identity: ThreadIdentity

    /// Starts the thread.
    ///
    /// - Parameter name: Shown by debuggers, at most 15 bytes of it on Linux.
    package init(name: String) {
        let work = WriterWork(name: name)
        self.work = work
        let started = Self.start(work)
        identity = ThreadIdentity(started)
        thread = Monitor(started)
    }

    /// Adds a job to the end of the queue; after `stop` this traps.
    ///
    /// - Parameter job: Runs on the thread, after all submitted before.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        work.add(job)
    }

    /// Runs what is in the queue, then ends the thread and waits for its end.
    ///
    /// May be called more than once. On the thread itself it does not wait: the thread ends after
    /// the queue has run.
    package func stop() {
        work.close()
        guard let ending = thread.withLock({ $0.take() }) else { return }
        if ThreadIdentity.current == identity {
            pthread_detach(ending)
        } else {
            pthread_join(ending, nil)
        }
    }

    deinit {
        // The last reference may go away inside a job, on the thread itself.
        stop()
    }

    private static func start(_ work: WriterWork) -> pthread_t {
        let argument = Unmanaged.passRetained(work).toOpaque()
        #if canImport(Darwin)
            var started: pthread_t?
            let result = pthread_create(&started, nil, writerMain, argument)
            guard result == 0, let started else {
                preconditionFailure("The system gives no thread: error \(result).")
            }
            return started
        #else
            var started = pthread_t()
            let result = pthread_create(&started, nil, writerMain, argument)
            precondition(result == 0, "The system gives no thread: error \(result).")
            return started
        #endif
    }
}

#if canImport(Darwin)
    private func writerMain(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<WriterWork>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
#else
    private func writerMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Unmanaged<WriterWork>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
#endif

/// The queue of a writer thread; the thread holds it, and not the `WriterThread` itself.
private final class WriterWork: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let name: String
    private let queue = Monitor(Queue())

    init(name: String) {
        self.name = name
    }

    func add(_ job: @escaping @Sendable () -> Void) {
        queue.withLock { queue in
            precondition(!queue.isClosed, "A job was given to a writer thread after its stop.")
            queue.jobs.append(job)
        }
    }

    func close() {
        queue.withLock { $0.isClosed = true }
    }

    func run() {
        #if canImport(Darwin)
            pthread_setname_np(name)
        #else
            // The kernel refuses longer names.
            let short = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            pthread_setname_np(pthread_self(), short)
        #endif
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
