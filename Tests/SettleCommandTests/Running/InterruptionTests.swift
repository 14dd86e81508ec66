import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60)))
struct `Waiting for work that takes no notice of interruptions` {
    private struct Broken: Error {}

    @Test func `gives what the work gives`() async throws {
        #expect(try await Interruption.waiting { 7 } == 7)
        await #expect(throws: Broken.self) { try await Interruption.waiting { throw Broken() } }
    }

    @Test func `ends when it is interrupted, before the work does`() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let waiting = Task {
            try await Interruption.waiting {
                for await _ in stream {}
                end.yield(Task.isCancelled)
                end.finish()
            }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        continuation.finish()
        var wasCancelled: Bool?
        for await value in ended { wasCancelled = value }
        #expect(wasCancelled == false)
    }
}
