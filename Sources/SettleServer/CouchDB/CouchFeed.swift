import HTTPTypes
import Settle

/// The text of a feed of changes, piece by piece, each made when it is asked for.
///
/// So a slow reader keeps nothing in memory but a page, and holds no snapshot. What changes while a list is read
/// comes in the next one.
actor CouchFeed {
    /// What a feed needs beside the database and the query.
    struct Surroundings: Sendable {
        /// What timeouts and heartbeats are measured by.
        var clock: any Clock<Duration> = ContinuousClock()
        /// Knows when the server stops.
        var shutdown = ShutdownWatch()
        /// How long the sender's token is good for; nil for ever.
        var timeLeft: Duration?
        /// Whether the token would be taken again.
        var isStillKnown: @Sendable () async -> Bool = { true }
        /// Takes a place among those who wait for changes; nil where there is no limit.
        var beginWaiting: @Sendable () throws -> LiveReaders.Place? = { nil }
    }

    private enum Phase { case beginning, reading, waiting, ending, ended }

    private let database: CouchDatabase
    private let query: CouchChangesQuery
    private let isStillKnown: @Sendable () async -> Bool
    /// Ends when the token does.
    private let timeIsOver = ShutdownWatch()
    private var timer: Task<Void, Never>?
    /// Nil for a feed that waits for nothing.
    private let events: LiveEvents?
    /// Given up with the feed.
    private let place: LiveReaders.Place?
    /// The last change that counts.
    private let end: UInt64
    private var phase = Phase.beginning
    private var sequence: UInt64
    private var left: Int
    private var hasGiven = false
    /// Whether it has waited since it gave something last.
    private var isIdle = false
    /// What is still to come of a descending feed, the last first.
    private var reversed: ArraySlice<DocumentChange>?

    /// A feed; what is committed from here on is not missed.
    ///
    /// - Throws: ``CouchError`` for a sequence that is none, and 429 or 503 when too many wait; ``DatabaseError``.
    init(
        _ database: CouchDatabase, _ query: CouchChangesQuery, in surroundings: Surroundings
    ) throws {
        self.database = database
        self.query = query
        isStillKnown = surroundings.isStillKnown
        let waits = query.waits
        do {
            place = waits ? try surroundings.beginWaiting() : nil
        } catch let problem as Problem {
            throw CouchError(
                problem.status.code,
                problem.status == .tooManyRequests ? "too_many_requests" : "service_unavailable",
                problem.message)
        }
        events =
            waits
            ? LiveEvents(
                commits: database.database.commitSignals(),
                every: query.heartbeat ?? query.timeout, on: surroundings.clock,
                beginningAtOnce: query.heartbeat != nil,
                until: [surroundings.shutdown, timeIsOver]) : nil
        let last = try database.database.lastSequence
        end = waits ? .max : last
        sequence = try CouchDatabase.sequence(query.since, last: last)
        left = query.limit
        if query.isDescending {
            reversed = try database.database.changeBatch(since: 0).changes[...]
            sequence = 0
        }
        if waits, let timeLeft = surroundings.timeLeft {
            timer = Task { [timeIsOver, clock = surroundings.clock] in
                if (try? await clock.sleep(for: timeLeft)) != nil { timeIsOver.begin() }
            }
        }
    }

    deinit { timer?.cancel() }

    /// The next piece; nil after the last.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed, damaged, or cannot be read; the feed is over then.
    func next() async throws -> [UInt8]? {
        while true {
            switch phase {
            case .beginning:
                phase = .reading
                if query.feed.isList { return Array("{\"results\":[\n".utf8) }
            case .reading:
                guard left > 0, !timeIsOver.isStopping else {
                    phase = .ending
                    continue
                }
                do {
                    if let piece = try read() { return piece }
                } catch {
                    phase = .ended
                    throw error
                }
            case .waiting:
                if let piece = await wait() { return piece }
            case .ending:
                phase = .ended
                return try tail()
            case .ended: return nil
            }
        }
    }

    /// Reads a page.
    private func read() throws -> [UInt8]? {
        let rows: [[UInt8]]
        let places: [UInt64]
        if let rest = reversed {
            let page = try database.reversedChanges(
                query, rest.suffix(CouchDatabase.pageCount), limit: left)
            (rows, places) = (page.rows, page.places)
            if !rows.isEmpty { sequence = page.last }
            reversed = rest.dropLast(CouchDatabase.pageCount)
            if reversed?.isEmpty ?? true { phase = .ending }
        } else {
            let page = try database.changes(query, after: sequence, upTo: end, limit: left)
            (rows, places, sequence) = (page.rows, page.places, page.last)
            if !page.hasMore {
                let hasEnough = query.feed == .longpoll && (hasGiven || !rows.isEmpty)
                phase = events == nil || hasEnough ? .ending : .waiting
            }
        }
        guard !rows.isEmpty else { return nil }
        left -= rows.count
        if left == 0 { phase = .ending }
        isIdle = false
        defer { hasGiven = true }
        var text: [UInt8] = []
        for (row, place) in zip(rows, places) {
            switch query.feed {
            case .normal, .longpoll:
                if hasGiven || !text.isEmpty { text += Array(",\n".utf8) }
                text += row
            case .continuous: text += row + [UInt8(ascii: "\n")]
            case .eventsource:
                let name = CouchDatabase.text(ofSequence: place)
                text += Array("data: ".utf8) + row + Array("\nid: \(name)\n\n".utf8)
            }
        }
        return text
    }

    /// Waits for something, and answers with the sign of life that is due.
    private func wait() async -> [UInt8]? {
        if !isIdle, query.heartbeat == nil { events?.restart() }
        isIdle = true
        switch await events?.next() {
        case .commit?:
            // Where there is always something to show no beat comes.
            phase = query.heartbeat != nil ? .reading : await isStillKnown() ? .reading : .ending
        case .beat?:
            guard await isStillKnown() else {
                phase = .ending
                return nil
            }
            if query.heartbeat != nil { return query.feed.signOfLife }
            phase = .ending
        case .stop?, nil: phase = .ending
        }
        return nil
    }

    private func tail() throws -> [UInt8]? {
        let isWhole = left > 0 || reversed != nil
        let pending =
            isWhole ? 0 : try database.pending(query, after: sequence, upTo: end)
        let last = CouchDatabase.text(ofSequence: sequence)
        let text = "\"last_seq\":\"\(last)\",\"pending\":\(pending)}"
        switch query.feed {
        case .normal, .longpoll: return Array("\n],\n\(text)\n".utf8)
        case .continuous: return Array("{\(text)\n".utf8)
        case .eventsource: return nil
        }
    }
}

extension CouchDatabase {
    /// The answer to a request for changes, whose body may go on for ever.
    ///
    /// One that cannot be read any more ends without what a whole one ends with.
    ///
    /// - Throws: ``CouchError``, ``DatabaseError``.
    func feed(
        _ query: CouchChangesQuery, in surroundings: CouchFeed.Surroundings
    ) async throws -> CouchResponse {
        let feed = try CouchFeed(self, query, in: surroundings)
        if query.feed == .normal {
            return try await .pieces(CouchPieces([.feed { try await feed.next() }]))
        }
        let type = query.feed == .eventsource ? "text/event-stream" : "application/json"
        return CouchResponse(
            200, .stream(AsyncStream(unfolding: { try? await feed.next() })), type: type)
    }
}
