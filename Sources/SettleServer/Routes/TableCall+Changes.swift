import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import SettleOData

extension TableCall {
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
        let place = try responder.liveReaders.begin(
            RateLimiter.Key(subject: identity.subject, address: address))
        let start = if let time = query.time { time } else { try await feed.now() }
        return query.isStreamed
            ? stream(feed, from: start, place)
            : try await poll(feed, from: start, waitSeconds: query.waitSeconds, place)
    }

    /// Shape: `{"items": array, "token": string}`.
    private func poll(
        _ feed: LiveFeed, from time: Int64, waitSeconds: Int, _ place: LiveReaders.Place
    ) async throws -> Response {
        defer { withExtendedLifetime(place) {} }
        responder.metrics.liveReaderBegan()
        defer { responder.metrics.liveReaderEnded() }
        let seconds = min(waitSeconds, Int(min(secondsLeft, 300)))
        guard seconds > 0 else { return answer(try await feed.page(after: time)) }
        var page = ChangesPage(items: [], time: time, hasMore: false)
        try await feed.follow(from: time, every: .seconds(seconds)) { step in
            switch step {
            case .changes(let changes): page = changes
            case .beat(let time), .stop(let time): page.time = time
            }
            return false
        }
        return answer(page)
    }

    private func answer(_ page: ChangesPage) -> Response {
        responder.metrics.itemsRead(page.items.count)
        var text = PageText(dialect)
        text.add(page.items, token: ChangesToken.text(page.time))
        return Answer.json(text: text.bytes)
    }

    /// How long the sender's token is good for, from 0.
    private var secondsLeft: Double {
        let now = responder.now().timeIntervalSince1970
        return identity.expires.map { max(0, $0 - now) } ?? .infinity
    }

    /// How long a stream lasts, at most; its reader goes on with another, if its rights still hold.
    private static let streamMax = Duration.seconds(3_600)

    /// After how long without a change a stream gives a sign of life.
    private static let beat = Duration.seconds(15)

    /// Shape: server-sent events; `id` is the token behind the change, `data` the item in one line.
    private func stream(
        _ feed: LiveFeed, from time: Int64, _ place: LiveReaders.Place
    ) -> Response {
        let (dialect, metrics, clock) = (dialect, responder.metrics, ContinuousClock())
        let end = clock.now + min(Self.streamMax, .seconds(min(secondsLeft, 86_400)))
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            metrics.liveReaderBegan()
            defer { metrics.liveReaderEnded() }
            // After how many milliseconds a browser tries again when the stream is cut, and where it
            // goes on when that is before the first change.
            try await writer.write(
                ByteBuffer(string: "retry: 2000\nid: \(ChangesToken.text(time))\n\n"))
            try await feed.follow(from: time, every: Self.beat) { step in
                switch step {
                case .changes(let page):
                    metrics.itemsRead(page.items.count)
                    for item in page.items {
                        try await writer.write(Self.event(item, in: dialect))
                    }
                case .beat(let time):
                    // What was passed over need not be looked at again after a cut.
                    try await writer.write(
                        ByteBuffer(string: ": keep-alive\nid: \(ChangesToken.text(time))\n\n"))
                case .stop: return false
                }
                return clock.now < end
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
