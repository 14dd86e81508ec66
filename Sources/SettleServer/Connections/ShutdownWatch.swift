import Settle

/// Tells those who wait for something that the server is stopping, or that their time is over, so that
/// they end at once.
///
/// A server that shuts down gracefully waits for every request that is under way; one that waits for
/// changes itself would keep it for as long as it likes.
final class ShutdownWatch: Sendable {
    private let ends = Broadcast<Never>()

    /// Whether the server is stopping.
    var isStopping: Bool { ends.isFinished }

    /// Says that it is; any number of times.
    func begin() { ends.finish() }

    /// A stream without elements, which ends when the server is stopping.
    ///
    /// - Returns: `for await _ in watch.end() {}` goes on then, or when its task is cancelled.
    func end() -> AsyncStream<Never> { ends.stream(.unbounded) }

    /// Waits until the server is stopping, or the task is cancelled.
    func wait() async {
        for await _ in end() {}
    }
}
