/// What has a stream look: a commit, or that some time went by.
///
/// Many are taken as one.
struct Wakes: Sendable {
    let stream: AsyncStream<Void>
    private let tasks: [Task<Void, Never>]

    init(_ commits: AsyncStream<Void>, every beat: Duration) {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        continuation.yield()
        let tasks = [
            Task {
                for await _ in commits { continuation.yield() }
                // The database was closed.
                continuation.finish()
            },
            Task {
                while (try? await Task.sleep(for: beat)) != nil { continuation.yield() }
            },
        ]
        self.tasks = tasks
        continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }

    func end() { for task in tasks { task.cancel() } }
}
