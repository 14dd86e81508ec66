import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import SettleOData

extension TableRequest {
    /// GET of the changes of a table: a stream of events, or the next changes as soon as there are
    /// any.
    ///
    /// A table that does not exist yet has no changes until it does.
    func changes(of name: TableName) async throws -> Response {
        let query = try ChangesQuery(
            query, headers: request.headers, limits: responder.limits, in: dialect)
        let feed = LiveFeed(
            find: { try await table(name) }, identity: identity, filter: query.filter,
            top: query.top, clock: responder.clock, shutdown: responder.shutdown)
        let place = try responder.liveReaders.begin(identity.sender)
        let start = if let time = query.time { time } else { try await feed.now() }
        return query.isStreamed
            ? stream(feed, from: start, place)
            : try await whileConnected {
                try await poll(feed, from: start, waitSeconds: query.waitSeconds, place)
            }
    }

    /// Shape: `{"items": array, "token": string}`.
    private func poll(
        _ feed: LiveFeed, from time: Int64, waitSeconds: Int, _ place: LiveReaders.Place
    ) async throws -> Response {
        defer { withExtendedLifetime(place) {} }
        responder.metrics.liveReaderBegan()
        defer { responder.metrics.liveReaderEnded() }
        var page = ChangesPage(items: [], time: time, hasMore: false)
        if waitSeconds > 0 {
            let wait = min(.seconds(waitSeconds), timeLeft)
            try await feed.follow(from: time, for: wait, every: wait) { step in
                switch step {
                case .changes(let changes): page = changes
                case .beat(let time), .stop(let time): page.time = time
                }
                return false
            }
        } else {
            page = try await feed.page(after: time)
        }
        // The token may have ended meanwhile, or its key may be none any more.
        _ = try await responder.authenticator.sender(of: request.headers)
        return try await respond(page)
    }

    private func respond(_ page: ChangesPage) async throws -> Response {
        responder.metrics.itemsRead(page.items.count)
        let dialect = dialect
        return try await responder.answers.json(
            about: page.items.reduce(0) { $0 + $1.approximateSize }, for: identity.sender,
            to: connection
        ) { text in
            let frame = PageFrame(token: ChangesToken.text(page.time))
            text.append(contentsOf: frame.head)
            for (index, item) in page.items.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                item.write(in: dialect, to: &text)
            }
            text.append(contentsOf: frame.tail)
        }
    }

    /// How long the sender's token is good for, from 0; at most as long as a stream may last.
    private var timeLeft: Duration {
        guard let expires = identity.expires else { return Self.streamMax }
        let seconds = expires - responder.now().timeIntervalSince1970
        return .seconds(max(0, min(seconds, Self.streamMax / .seconds(1))))
    }

    /// Whether the sender's token is still good, by its time alone.
    private var isInTime: Bool {
        identity.expires.map { responder.now().timeIntervalSince1970 < $0 } ?? true
    }

    /// How long a stream lasts, at most; its reader goes on with another, if its rights still hold.
    private static let streamMax = Duration.seconds(3_600)

    /// After how long without a change a stream gives a sign of life.
    private static let beat = Duration.seconds(15)

    /// Shape: server-sent events; `id` is the token behind the change, `data` the item in one line.
    private func stream(
        _ feed: LiveFeed, from time: Int64, _ place: LiveReaders.Place
    ) -> Response {
        let (dialect, metrics) = (dialect, responder.metrics)
        let (threads, sender, connection) = (
            responder.answers.threads, identity.sender, connection
        )
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            metrics.liveReaderBegan()
            defer { metrics.liveReaderEnded() }
            // After how many milliseconds a browser tries again when the stream is cut, and where it
            // goes on when that is before the first change.
            try await writer.write(
                ByteBuffer(string: "retry: 2000\nid: \(ChangesToken.text(time))\n\n"))
            try await feed.follow(from: time, for: timeLeft, every: Self.beat) { step in
                switch step {
                case .changes(let page):
                    for item in page.items {
                        let event =
                            item.isLarge
                            ? try await threads.run(for: sender) { _ in
                                Self.event(item, in: dialect)
                            } : Self.event(item, in: dialect)
                        // Looked at before each: the reader may be slow to take the one before.
                        guard isInTime else { return false }
                        try await writer.write(event)
                        try await connection?.catchUp()
                        metrics.itemsRead(1)
                    }
                case .beat(let time):
                    // The key of the token may be none any more.
                    guard await isStillKnown() else { return false }
                    // What was passed over need not be looked at again after a cut.
                    try await writer.write(
                        ByteBuffer(string: ": keep-alive\nid: \(ChangesToken.text(time))\n\n"))
                case .stop: return false
                }
                return isInTime
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Some proxies would keep events back until there are many.
                .xAccelBuffering: "no",
            ],
            body: body)
    }

    /// Whether the sender's token would be taken again.
    private func isStillKnown() async -> Bool {
        (try? await responder.authenticator.sender(of: request.headers)) != nil
    }

    private static func event(_ item: TableItem, in dialect: TableDialect) -> ByteBuffer {
        let token = ChangesToken.text(item.updatedAt.microseconds)
        var text = Array("id: \(token)\nevent: change\ndata: ".utf8)
        // JSON text of ours has no line breaks.
        item.write(in: dialect, to: &text)
        text.append(contentsOf: "\n\n".utf8)
        return ByteBuffer(bytes: text)
    }
}

extension HTTPField.Name {
    /// `X-Accel-Buffering`: asks nginx and its like to pass bytes on as they come.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
