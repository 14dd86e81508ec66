import Settle

/// Which changes are wanted, and how.
struct CouchChangesQuery: Sendable {
    enum Feed: String {
        case normal, longpoll, continuous, eventsource
    }

    var feed = Feed.normal
    var since = "0"
    var limit = Int.max
    var showsAllLeaves = false
    var isDescending = false
    var includesDocuments = false
    var identifiers: Set<String>?
    var heartbeat: Duration?
    var timeout = Duration.seconds(60)
    var options = CouchDocumentOptions()

    /// Reads the parameters of a request.
    init(_ request: CouchRequest) throws {
        let body = request.method == "POST" ? try request.object() : [:]
        if let text = request["feed"] {
            guard let feed = Feed(rawValue: text) else {
                throw CouchError.badRequest(
                    "Supported `feed` types: normal, continuous, live, longpoll, eventsource")
            }
            self.feed = feed
        }
        since = request.headers["last-event-id"] ?? request["since"] ?? "0"
        // The recorded feed of a database is text; of old clients a number.
        since = since.filter { $0 != "\"" }
        if let number = try request.number("limit") { limit = max(1, number) }
        switch request["style"] {
        case nil, "main_only": break
        case "all_docs": showsAllLeaves = true
        default: throw CouchError.badRequest("Supported `style` values: main_only, all_docs")
        }
        isDescending = try request.flag("descending")
        includesDocuments = try request.flag("include_docs")
        options.conflicts = try request.flag("conflicts")
        options.attachments = try request.flag("attachments")
        if let text = request["heartbeat"], text != "false" {
            heartbeat = .milliseconds(text == "true" ? 60_000 : max(1, Int(text) ?? 60_000))
        }
        if let number = try request.number("timeout") { timeout = .milliseconds(number) }
        switch request["filter"] {
        case nil: break
        case "_doc_ids":
            let listed = try request.json("doc_ids") ?? body["doc_ids"]
            guard let list = listed?.arrayValue else {
                throw CouchError.badRequest("`doc_ids` filter parameter is not a list of doc ids.")
            }
            identifiers = Set(list.compactMap(\.stringValue))
        case "_design": identifiers = []
        default: throw CouchError.noScripts
        }
    }
}

/// Rows of a feed of changes, and where it stands after them.
struct CouchChanges: Sendable {
    var rows: [[UInt8]] = []
    var last: UInt64 = 0
    var pending = 0
}

extension CouchDatabase {
    /// The changes after a sequence, as rows of text.
    func changes(_ query: CouchChangesQuery, since: UInt64) throws -> CouchChanges {
        try database.read { snapshot in
            var found = CouchChanges()
            var batch = try snapshot.changes(since: query.isDescending ? 0 : since).changes
                .filter { !$0.isPurged }
            if let wanted = query.identifiers {
                batch.removeAll { !wanted.contains($0.documentId) }
            }
            if query.isDescending { batch.reverse() }
            let shown = batch.prefix(query.limit)
            found.rows = try shown.map { try Self.row($0, query, in: snapshot) }
            found.pending = batch.count - shown.count
            let reached = found.pending > 0 ? shown.last?.sequence : snapshot.sequence
            found.last = query.isDescending ? shown.last?.sequence ?? 0 : reached ?? since
            return found
        }
    }

    private static func row(
        _ change: DocumentChange, _ query: CouchChangesQuery, in snapshot: Snapshot
    ) throws -> [UInt8] {
        let id = change.documentId
        guard let tree = try snapshot.revisionTree(of: id), let winner = tree.winner else {
            throw CouchError.missing
        }
        let leaves = query.showsAllLeaves ? tree.sortedLeaves : [winner]
        var text = Array("{\"seq\":\"\(self.text(ofSequence: change.sequence))\",\"id\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"changes\":".utf8)
        let revisions = leaves.map { JSONValue.object(["rev": .string($0.name.description)]) }
        JSONText.append(.array(revisions), to: &text)
        if winner.isDeleted { text += Array(",\"deleted\":true".utf8) }
        if query.includesDocuments {
            text += Array(",\"doc\":".utf8)
            text += try self.text(of: id, winner, tree, query.options, in: snapshot)
        }
        return text + Array("}".utf8)
    }

    /// The answer to a request for changes.
    ///
    /// - Parameters:
    ///   - query: What is wanted.
    ///   - clock: What timeouts and heartbeats are measured by.
    /// - Returns: The answer, whose body may go on for ever.
    /// - Throws: ``CouchError``, ``DatabaseError``.
    func feed(_ query: CouchChangesQuery, clock: any Clock<Duration>) async throws -> CouchResponse
    {
        let start = try Self.sequence(query.since, last: try database.lastSequence)
        switch query.feed {
        case .normal:
            return .text(200, Self.text(of: try changes(query, since: start)))
        case .longpoll:
            var found = try changes(query, since: start)
            if found.rows.isEmpty {
                // The feed of the database ends the wait, or the time does.
                await waitForChange(after: found.last, atMost: query.timeout, clock)
                found = try changes(query, since: start)
            }
            return .text(200, Self.text(of: found))
        case .continuous, .eventsource:
            let type = query.feed == .continuous ? "application/json" : "text/event-stream"
            return CouchResponse(200, .stream(lines(query, since: start, clock)), type: type)
        }
    }

    private static func text(of found: CouchChanges) -> [UInt8] {
        Array("{\"results\":[\n".utf8) + Array(found.rows.joined(separator: Array(",\n".utf8)))
            + Array(
                "\n],\n\"last_seq\":\"\(text(ofSequence: found.last))\",\"pending\":\(found.pending)}"
                    .utf8)
    }

    /// Waits for a change, or for so long.
    private func waitForChange(
        after sequence: UInt64, atMost limit: Duration, _ clock: any Clock<Duration>
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [database] in
                let feed = database.changes(
                    since: sequence, isLive: true, ignoresForgottenPurges: true)
                var iterator = feed.makeAsyncIterator()
                _ = try? await iterator.next()
            }
            group.addTask { try? await clock.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// The lines of a feed that does not end by itself, but by its limit or its timeout.
    private func lines(
        _ query: CouchChangesQuery, since: UInt64, _ clock: any Clock<Duration>
    ) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let task = Task {
            var (sequence, left) = (since, query.limit)
            while !Task.isCancelled, left > 0 {
                var part = query
                part.limit = left
                guard let found = try? changes(part, since: sequence) else { break }
                for row in found.rows { continuation.yield(Self.line(row, query.feed)) }
                let isIdle = found.rows.isEmpty
                (sequence, left) = (found.last, left - found.rows.count)
                guard left > 0 else { break }
                if isIdle {
                    await waitForChange(
                        after: sequence, atMost: query.heartbeat ?? query.timeout, clock)
                    guard (try? database.lastSequence) == sequence else { continue }
                    guard query.heartbeat != nil else { break }
                    continuation.yield([UInt8(ascii: "\n")])
                }
            }
            if query.feed == .continuous {
                continuation.yield(
                    Array(
                        "{\"last_seq\":\"\(Self.text(ofSequence: sequence))\",\"pending\":0}\n".utf8
                    ))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private static func line(_ row: [UInt8], _ feed: CouchChangesQuery.Feed) -> [UInt8] {
        feed == .continuous
            ? row + [UInt8(ascii: "\n")]
            : Array("data: ".utf8) + row + Array("\n\n".utf8)
    }
}
