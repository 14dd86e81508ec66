import ServiceLifecycle

/// A service that ends when it is told to, and with it, gracefully, the group it is in.
///
/// The framework may trap when the task it runs in is cancelled while a connection is being
/// accepted. So it never is: cancelling the server sends this signal, which is remembered when it
/// comes before the group runs.
struct StopSignal: Service {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Ends the service; any number of times.
    func send() {
        continuation.finish()
    }

    func run() async {
        for await _ in stream {}
    }
}
