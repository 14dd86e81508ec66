import SettleSync

/// Keeps the token between requests, so that the provider is asked once however many requests were
/// refused together.
actor TokenKeeper {
    private let provider: (any TokenProvider)?
    private var current: String?
    private var question: Task<String?, any Error>?
    private var wasAsked = false

    init(_ provider: (any TokenProvider)?) {
        self.provider = provider
    }

    /// The token for a request.
    func token() async throws(ReplicationError) -> String? {
        if wasAsked { return current }
        return try await ask(replacing: nil)
    }

    /// A token in the place of one that was refused; nil when there is no other.
    func token(replacing refused: String?) async throws(ReplicationError) -> String? {
        if current != refused { return current }
        let token = try await ask(replacing: refused)
        return token == refused ? nil : token
    }

    private func ask(replacing refused: String?) async throws(ReplicationError) -> String? {
        guard let provider else { return nil }
        let question = question ?? Task { try await provider.token(replacing: refused) }
        self.question = question
        do {
            let token = try await question.value
            // Others waited for the same question; only the first one through ends it.
            if self.question == question {
                self.question = nil
                current = token
                wasAsked = true
            }
            return token
        } catch {
            if self.question == question { self.question = nil }
            throw ReplicationError(
                .unauthorized, "No token could be had for the server.", cause: error)
        }
    }
}

/// A token that never changes.
struct FixedToken: TokenProvider {
    let text: String

    func token(replacing refused: String?) async throws -> String? { text }
}
