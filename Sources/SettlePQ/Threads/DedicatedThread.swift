#if canImport(Darwin)
    internal import Darwin
#else
    internal import CPQ
    internal import Glibc
#endif

/// Threads for what blocks, which must not happen on those of Swift's tasks.
enum DedicatedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            #if canImport(Darwin)
                pthread_setname_np(name)
            #else
                // The kernel refuses longer names.
                let short = String(decoding: name.utf8.prefix(15), as: UTF8.self)
                _ = pthread_setname_np(pthread_self(), short)
            #endif
            body()
        }
    }

    /// Starts a thread that ends with its body.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers, at most 15 bytes of it on Linux.
    ///   - body: What the thread does.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = pthread_create(&thread, nil, threadMain, argument)
        precondition(result == 0, "The system gives no thread: error \(result).")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    #if canImport(Darwin)
        private static let threadMain:
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { argument in
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }
    #else
        private static let threadMain:
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }
    #endif
}
