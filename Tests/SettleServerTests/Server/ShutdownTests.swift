import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.timeLimit(.minutes(60))) struct `Shutting down` {
    @Test func `is told to all who wait for it, before and after`() async {
        let watch = ShutdownWatch()
        #expect(!watch.isStopping)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await watch.wait() } }
            let cancelled = Task { await watch.wait() }
            cancelled.cancel()
            await cancelled.value
            #expect(!watch.isStopping)
            watch.begin()
            await group.waitForAll()
        }
        #expect(watch.isStopping)
        watch.begin()
        await watch.wait()
    }

    @Test func `makes a server that is not ready`() async throws {
        try await withScratchDirectory("server") { scratch in
            let server = try TableServer(
                configuration: ServerConfiguration(directory: scratch.url),
                logger: TestServer.quiet)
            let parts = try await server.makeParts()
            _ = try await parts.responder.readiness()
            parts.responder.shutdown.begin()
            let error = await #expect(throws: Problem.self) {
                try await parts.responder.readiness()
            }
            #expect(error?.status == .serviceUnavailable)
            await parts.store.close()
        }
    }

    @Test func `of the store makes a server that is not ready`() async throws {
        try await withScratchDirectory("server") { scratch in
            let server = try TableServer(
                configuration: ServerConfiguration(directory: scratch.url),
                logger: TestServer.quiet)
            let parts = try await server.makeParts()
            await parts.store.close()
            let error = await #expect(throws: Problem.self) {
                try await parts.responder.readiness()
            }
            #expect(error?.status == .serviceUnavailable)
        }
    }
}
