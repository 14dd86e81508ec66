import Settle
import SettleOData

/// Follows the changes of one table for one reader.
struct LiveFeed: Sendable {
    /// What happens while one follows.
    enum Step: Sendable {
        /// Changes, at least one.
        case changes(ChangesPage)
        /// Nothing for a while; the reader knows everything up to a time, in microseconds.
        case beat(Int64)
        /// The server is stopping, or the reader's time is over.
        case stop(Int64)
    }

    /// Finds the table; nil while there is none.
    let find: @Sendable () async throws -> HostedTable?
    let identity: Identity
    var filter: ODataNode?
    /// The most changes of one step.
    var top: Int
    /// What beats are measured with.
    let clock: any Clock<Duration>
    /// Knows when the server stops.
    let shutdown: ShutdownWatch

    /// How often it is looked whether a table has come into being.
    private static let search = Duration.seconds(1)

    /// Follows the changes until the reader has enough, its time is over, or the server stops.
    ///
    /// - Parameters:
    ///   - time: Where the reader stands, in microseconds since 1970.
    ///   - longest: How long it may be followed.
    ///   - period: After how long without a change there is a beat.
    ///   - body: Called with each step; answers false to end.
    /// - Throws: What `body` throws; as ``HostedTable/changes(_:for:)``.
    func follow(
        from time: Int64, for longest: Duration, every period: Duration,
        _ body: (Step) async throws -> Bool
    ) async throws {
        var place = time
        let end = ShutdownWatch()
        let timer = Task { [clock] in
            if (try? await clock.sleep(for: longest)) != nil { end.begin() }
        }
        defer { timer.cancel() }
        while true {
            let table = try await find()
            // Listened to before anything is read, so that no commit falls in between.
            let events = LiveEvents(
                commits: table?.stored.changes() ?? searches(), every: period, on: clock,
                until: [shutdown, end])
            if let table, try await !deliver(from: &place, of: table, body) { return }
            while let event = await events.next() {
                switch event {
                case .commit:
                    if let table {
                        if try await !deliver(from: &place, of: table, body) { return }
                        continue
                    }
                    if try await find() == nil { continue }
                case .beat:
                    if try await !body(.beat(place)) { return }
                    continue
                case .stop:
                    _ = try await body(.stop(place))
                    return
                }
                // There was no table, and there is one now.
                break
            }
            try Task.checkCancellation()
        }
    }

    /// The changes that are there, without waiting for more.
    ///
    /// - Parameter time: Where the reader stands, in microseconds since 1970.
    /// - Returns: A page, empty when there is nothing new.
    /// - Throws: As ``HostedTable/changes(_:for:)``.
    func page(after time: Int64) async throws -> ChangesPage {
        guard let table = try await find() else {
            return ChangesPage(items: [], time: time, hasMore: false)
        }
        return try await table.changes(
            ChangesRequest(filter: filter, top: top, time: time), for: identity)
    }

    /// Where a reader stands who wants what comes from now on, in microseconds since 1970; 0 when there
    /// is no table.
    ///
    /// - Throws: The store's error when it cannot be read.
    func now() async throws -> Int64 {
        try await find()?.lastTime() ?? 0
    }

    /// Hands over all that is new; false when the reader has enough.
    private func deliver(
        from time: inout Int64, of table: HostedTable, _ body: (Step) async throws -> Bool
    ) async throws -> Bool {
        while true {
            try Task.checkCancellation()
            let page = try await table.changes(
                ChangesRequest(filter: filter, top: top, time: time), for: identity)
            time = page.time
            if !page.items.isEmpty, try await !body(.changes(page)) { return false }
            if !page.hasMore { return true }
        }
    }

    private func searches() -> AsyncStream<Void> {
        let clock = clock
        return AsyncStream { try? await clock.sleep(for: Self.search) }
    }
}
