#if canImport(Darwin)
    import Darwin
#else
    import CThreads
    import Glibc
#endif

/// A thread of the system, for what blocks, which must not happen on those of Swift's tasks.
@safe package struct DedicatedThread: @unchecked Sendable {
    private let handle: pthread_t

    /// Starts a thread that ends with its body; then either ``join()`` or ``detach()`` must be called.
    ///
    /// Traps when the system gives no thread.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers, at most 15 bytes of it on Linux.
    ///   - body: What the thread does.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        // Safe: the thread takes over what is retained here, once.
        let argument = unsafe Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        #if canImport(Darwin)
            var started: pthread_t?
            let result = unsafe pthread_create(&started, nil, threadMain, argument)
            guard result == 0, let started = unsafe started else {
                preconditionFailure("The system gives no thread: error \(result).")
            }
            unsafe handle = started
        #else
            var started = pthread_t()
            let result = unsafe pthread_create(&started, nil, threadMain, argument)
            precondition(result == 0, "The system gives no thread: error \(result).")
            handle = started
        #endif
    }

    /// Starts a thread that ends with its body, and for whose end nobody waits.
    ///
    /// Traps when the system gives no thread.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers, at most 15 bytes of it on Linux.
    ///   - body: What the thread does.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        DedicatedThread(name: name, body).detach()
    }

    /// Which thread it is.
    package var identity: ThreadIdentity { ThreadIdentity(handle) }

    /// Waits for the end of the thread; may be called once, and not on the thread itself.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end when it likes; may be called once.
    package func detach() {
        pthread_detach(handle)
    }
}

/// What a thread begins with.
private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        #if canImport(Darwin)
            _ = unsafe pthread_setname_np(name)
        #else
            // The kernel refuses longer names.
            let short = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            _ = unsafe pthread_setname_np(pthread_self(), short)
        #endif
        body()
    }
}

#if canImport(Darwin)
    private func threadMain(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
#else
    private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
#endif
