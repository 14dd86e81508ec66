package import SettleSync

/// Keeps the token between requests, so that the provider is asked once however many requests were
/// refused together.
///
/// Who waits for the provider's answer can be cancelled; when nobody waits any more, the provider's
/// task is cancelled too.
package actor TokenKeeper {
    private typealias Outcome = Result<String?, ReplicationError>

    /// What the provider is being asked, and who waits for its response.
    private struct Question {
        var task: Task<Void, Never>
        var refused: String?
        var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
    }

    private let provider: (any TokenProvider)?
    private var current: String?
    private var wasAsked = false
    private var question: Question?
    /// The response that brought nothing better than a token, for the others who had the same token
    /// refused; a request that begins later may have the provider asked again.
    private var dismissal: (refused: String?, outcome: Outcome)?
    private var nextNumber = 0

    /// Keeps what a provider gives; without one there is no token.
    package init(_ provider: (any TokenProvider)?) {
        self.provider = provider
    }

    /// The token for a request.
    package func token() async throws(ReplicationError) -> String? {
        dismissal = nil
        if wasAsked { return current }
        return try await ask(replacing: nil)
    }

    /// A token in the place of one that was refused; nil when there is no other.
    package func token(replacing refused: String?) async throws(ReplicationError) -> String? {
        if wasAsked, current != refused { return current }
        if let dismissal, dismissal.refused == refused { return try dismissal.outcome.get() }
        let token = try await ask(replacing: refused)
        return token == refused ? nil : token
    }

    private func ask(replacing refused: String?) async throws(ReplicationError) -> String? {
        guard let provider else { return nil }
        let number = nextNumber
        nextNumber += 1
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(Self.cancelled))
                    return
                }
                if question == nil {
                    let task = Task { deliver(await Self.outcome(of: provider, refused)) }
                    question = Question(task: task, refused: refused)
                }
                question?.waiting[number] = continuation
            }
        } onCancel: {
            Task { await giveUp(number) }
        }
        return try outcome.get()
    }

    private static func outcome(
        of provider: any TokenProvider, _ refused: String?
    ) async -> Outcome {
        do {
            return .success(try await provider.token(replacing: refused))
        } catch let error as ReplicationError {
            return .failure(error)
        } catch {
            return .failure(
                ReplicationError(
                    .unauthorized, "No token could be had for the server.", cause: error))
        }
    }

    private func deliver(_ outcome: Outcome) {
        // Nobody may be waiting any more; another question may even have been put since.
        guard !Task.isCancelled, let question else { return }
        self.question = nil
        switch outcome {
        case .success(let token):
            if wasAsked, token == question.refused {
                dismissal = (question.refused, .success(nil))
            }
            current = token
            wasAsked = true
        case .failure:
            if wasAsked { dismissal = (question.refused, outcome) }
        }
        for continuation in question.waiting.values { continuation.resume(returning: outcome) }
    }

    private func giveUp(_ number: Int) {
        guard let continuation = question?.waiting.removeValue(forKey: number) else { return }
        continuation.resume(returning: .failure(Self.cancelled))
        if let question, question.waiting.isEmpty {
            question.task.cancel()
            self.question = nil
        }
    }

    private static let cancelled = ReplicationError(
        .cancelled, "The task was cancelled while a token was being fetched.")
}

/// A token that never changes.
struct FixedToken: TokenProvider {
    let text: String

    func token(replacing refused: String?) async throws -> String? { text }
}
