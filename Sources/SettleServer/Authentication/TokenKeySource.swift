import Logging

/// The keys of a server, fetched again when they may have changed.
///
/// Whatever goes wrong while fetching leaves the keys that are known; one fetch runs at a time, and
/// those who need it wait for the same.
actor TokenKeySource {
    /// When keys are fetched again.
    struct Pace: Sendable {
        /// After which time.
        var interval: Duration = .seconds(600)
        /// How long after a fetch the next may begin, however many tokens name unknown keys.
        var gapMin: Duration = .seconds(30)
        /// How long one fetch may take; requests may wait for it.
        var fetchMax: Duration = .seconds(10)
    }

    private let fetch: (@Sendable () async throws -> TokenKeySet)?
    private let pace: Pace
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private var keys: TokenKeySet?
    private var begun: Duration?
    private var running: Task<Void, Never>?

    /// Keys that never change.
    init(_ keys: TokenKeySet) {
        self.keys = keys
        fetch = nil
        pace = Pace()
        elapsed = { .zero }
        logger = Logger(label: "settle.server")
    }

    /// Keys that are fetched; nothing is before ``load()``.
    ///
    /// - Parameters:
    ///   - pace: How often.
    ///   - elapsed: A clock that only goes forward.
    ///   - logger: Where it is said when they cannot be fetched.
    ///   - fetch: Gets them.
    init(
        pace: Pace = Pace(), elapsed: @escaping @Sendable () -> Duration, logger: Logger,
        fetch: @escaping @Sendable () async throws -> TokenKeySet
    ) {
        self.pace = pace
        self.elapsed = elapsed
        self.logger = logger
        self.fetch = fetch
    }

    /// Whether there are keys.
    var isReady: Bool { keys != nil }

    /// Fetches the keys for the first time.
    ///
    /// - Throws: What fetching throws.
    func load() async throws {
        guard let fetch else { return }
        begun = elapsed()
        keys = try await fetch()
    }

    /// The keys for a token.
    ///
    /// Waits for a fetch only when there are no keys, or none of the name. Keys that are old are
    /// fetched while the old ones go on.
    ///
    /// - Parameter id: The key that the token names.
    /// - Returns: The keys, with that one if there is such a key; nil when there are none yet.
    func keys(for id: String?) async -> TokenKeySet? {
        if let keys, keys.has(id) {
            if let begun, elapsed() - begun >= pace.interval { refresh() }
            return keys
        }
        refresh()
        await running?.value
        return keys
    }

    /// Waits for the fetch that is under way, if there is one.
    func settle() async {
        await running?.value
    }

    private func refresh() {
        guard let fetch, running == nil else { return }
        let now = elapsed()
        if let begun, now - begun < pace.gapMin { return }
        begun = now
        running = Task {
            do {
                keys = try await fetch()
            } catch let error as ServerError {
                logger.warning("keys", metadata: ["error": "\(error.message)"])
            } catch {
                logger.warning("keys", metadata: ["error": "\(type(of: error))"])
            }
            running = nil
        }
    }
}
