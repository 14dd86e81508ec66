import SettleSync
import Synchronization
import Testing

@testable import SettleREST

@Suite(.timeLimit(.minutes(60))) struct `Token keeper` {
    private struct Trouble: Error {}

    /// A provider that answers when a test lets it.
    private final class Gated: TokenProvider {
        private struct State {
            var refusals: [String?] = []
            var answers: [Result<String?, any Error>]
            var waiting: [CheckedContinuation<Void, Never>] = []
            var isOpen: Bool
            var cancelCount = 0
        }

        private let state: Mutex<State>
        private let asking: AsyncStream<Void>.Continuation
        let questions: AsyncStream<Void>

        init(_ answers: [Result<String?, any Error>], isOpen: Bool = true) {
            state = Mutex(State(answers: answers, isOpen: isOpen))
            (questions, asking) = AsyncStream.makeStream()
        }

        var refusals: [String?] { state.withLock { $0.refusals } }
        var cancelCount: Int { state.withLock { $0.cancelCount } }

        func setOpen(_ isOpen: Bool) {
            let waiting = state.withLock { state in
                state.isOpen = isOpen
                defer { if isOpen { state.waiting = [] } }
                return isOpen ? state.waiting : []
            }
            for continuation in waiting { continuation.resume() }
        }

        func token(replacing refused: String?) async throws -> String? {
            let answer = state.withLock { state in
                state.refusals.append(refused)
                return state.answers.isEmpty ? .failure(Trouble()) : state.answers.removeFirst()
            }
            asking.yield()
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            if Task.isCancelled { state.withLock { $0.cancelCount += 1 } }
            return try answer.get()
        }
    }

    private func outcome(_ keeper: TokenKeeper, replacing refused: String?) async -> String {
        do {
            return try await keeper.token(replacing: refused) ?? "none"
        } catch {
            return "\(error.code)"
        }
    }

    @Test func `asks once however many requests were refused together`() async throws {
        let provider = Gated([.success("t1"), .success("t2")])
        let keeper = TokenKeeper(provider)
        #expect(try await keeper.token() == "t1")
        provider.setOpen(false)
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { await outcome(keeper, replacing: "t1") } }
            for await _ in provider.questions.dropFirst() { break }
            // Some come while the provider thinks, some when it has answered.
            provider.setOpen(true)
            for _ in 0..<50 { group.addTask { await outcome(keeper, replacing: "t1") } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(outcomes == ["t2"])
        #expect(provider.refusals == [nil, "t1"])
        #expect(try await keeper.token() == "t2")
    }

    @Test func `asks once for the first token`() async throws {
        let provider = Gated([.success("t1")], isOpen: false)
        let keeper = TokenKeeper(provider)
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try await keeper.token() } }
            for await _ in provider.questions { break }
            provider.setOpen(true)
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(tokens == ["t1"])
        #expect(provider.refusals == [nil])
    }

    @Test func `takes the same token as an answer for all that had it refused`() async throws {
        let provider = Gated([.success("t1"), .success("t1"), .success("t2")])
        let keeper = TokenKeeper(provider)
        _ = try await keeper.token()
        for _ in 0..<20 { #expect(await outcome(keeper, replacing: "t1") == "none") }
        #expect(provider.refusals == [nil, "t1"])
        // A later request finds out whether somebody has logged in meanwhile.
        #expect(try await keeper.token() == "t1")
        #expect(await outcome(keeper, replacing: "t1") == "t2")
        #expect(provider.refusals == [nil, "t1", "t1"])
    }

    @Test func `takes an error as an answer for all that waited, and asks again later`()
        async throws
    {
        let provider = Gated([
            .failure(Trouble()), .success("t1"),
            .failure(ReplicationError(.unreachable, "The login server is not there.")),
            .success("t2"),
        ])
        let keeper = TokenKeeper(provider)
        await #expect {
            try await keeper.token()
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .unauthorized && error?.cause is Trouble
        }
        #expect(try await keeper.token() == "t1")
        // The provider's own code is kept: this failure is transient.
        for _ in 0..<20 { #expect(await outcome(keeper, replacing: "t1") == "unreachable") }
        #expect(provider.refusals.count == 3)
        #expect(try await keeper.token() == "t1")
        #expect(await outcome(keeper, replacing: "t1") == "t2")
    }

    @Test func `lets one go whose task is cancelled, and answers the others`() async throws {
        let provider = Gated([.success("t1")], isOpen: false)
        let keeper = TokenKeeper(provider)
        let first = Task { await outcome(keeper, replacing: nil) }
        for await _ in provider.questions { break }
        let second = Task { await outcome(keeper, replacing: nil) }
        second.cancel()
        #expect(await second.value == "cancelled")
        provider.setOpen(true)
        #expect(await first.value == "t1")
        #expect(provider.refusals == [nil])
        #expect(provider.cancelCount == 0)
    }

    @Test func `cancels the provider when nobody waits any more`() async throws {
        let provider = Gated([.success("late"), .success("t1")], isOpen: false)
        let keeper = TokenKeeper(provider)
        let only = Task { await outcome(keeper, replacing: nil) }
        for await _ in provider.questions { break }
        only.cancel()
        // The provider is still thinking; nobody has to wait for that.
        #expect(await only.value == "cancelled")
        provider.setOpen(true)
        while provider.cancelCount == 0 { await Task.yield() }
        // What was asked for in vain is not used, and the next request asks anew.
        #expect(try await keeper.token() == "t1")
        #expect(provider.refusals == [nil, nil])
    }

    @Test func `is cancelled before it asks when its task is`() async throws {
        let provider = Gated([.success("t1")])
        let keeper = TokenKeeper(provider)
        let outcomes = await withTaskGroup(of: String.self) { group in
            group.cancelAll()
            group.addTask { await outcome(keeper, replacing: nil) }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes == ["cancelled"])
        #expect(provider.refusals == [])
    }

    @Test func `without a provider has no token`() async throws {
        let keeper = TokenKeeper(nil)
        #expect(try await keeper.token() == nil)
        #expect(await outcome(keeper, replacing: nil) == "none")
    }
}
