import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Settle

/// The changes of a database as server-sent events, and its figures with them.
///
/// > Source: the event stream format of the HTML standard, 9.2.
struct EventStream: Sendable {
    private let database: Database
    private let since: UInt64
    private let type: String?
    private let channel: String?
    private let lease: StreamLease

    /// How many changes are read in one snapshot.
    private static let batchMax = 200
    /// After how long without a change a stream gives a sign of life.
    private static let beat = Duration.seconds(15)
    /// After how many milliseconds a browser comes again when the stream is cut.
    private static let retry = 1_000

    /// A stream as the form says, or from where a browser was cut off.
    ///
    /// - Throws: What the database throws when it cannot be read.
    init(_ request: PageRequest, lastEventId: String?, _ lease: StreamLease) throws {
        self.lease = lease
        database = request.database
        let given =
            lastEventId.flatMap { UInt64($0) }
            ?? request.values.filled("since").flatMap { UInt64($0) }
        since = try given ?? database.lastSequence
        type = request.values.filled("type")
        channel = request.values.filled("channel")
    }

    /// The response.
    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: \(Self.retry)\n\n"))
                let wakes = Wakes(database.commitSignals(), every: Self.beat)
                var last = since
                var isFirst = true
                // That a browser has gone is told by a write, and a sign of life is one.
                defer { wakes.end() }
                do {
                    for await _ in wakes.stream.cancelOnGracefulShutdown() {
                        guard lease.isValid() else { break }
                        let text = try events(after: &last, includesFigures: isFirst)
                        isFirst = false
                        try await writer.write(ByteBuffer(string: text))
                    }
                } catch let error as DatabaseError where error.code == .databaseClosed {
                    // Nothing more comes, and nothing is wrong.
                }
                try await writer.finish(nil)
            })
    }

    /// The events of all that was changed after a sequence, which goes on with them.
    private func events(after last: inout UInt64, includesFigures: Bool) throws -> String {
        var text = ""
        var isDone = false
        while !isDone, text.utf8.count < 1 << 20 {
            try database.read(named: "inspector: events") { snapshot in
                let place = try MemberPlace(in: snapshot)
                let batch = try snapshot.changes(since: last, limit: Self.batchMax)
                for change in batch.changes {
                    if let event = try event(change, place, in: snapshot) { text += event }
                }
                isDone = batch.changes.count < Self.batchMax
                last = batch.lastSequence
            }
        }
        guard !text.isEmpty || includesFigures else { return ": alive\nid: \(last)\n\n" }
        return text + (try figures())
    }

    /// The event of a change; nil for one that was not asked for.
    private func event(
        _ change: DocumentChange, _ place: MemberPlace, in snapshot: Snapshot
    ) throws -> String? {
        let found = try snapshot.withDocument(change.documentId) { view in
            (
                type: try place.type(of: view),
                isInChannel: try channel.map { try place.has($0, view) } ?? true,
                isDeleted: try place.isDeleted(view), date: try view.lastChange
            )
        }
        if let type, found?.type != type { return nil }
        if channel != nil, found?.isInChannel != true { return nil }
        let isDeleted = change.isDeleted || found?.isDeleted == true
        var members: [String: JSONValue] = [
            "id": .string(change.documentId),
            "sequence": .integer(Int64(clamping: change.sequence)),
            "change": .string(
                change.isPurged ? "purged" : isDeleted ? "deleted" : "stored"),
            "shown": .string(VisibleText.beginning(of: change.documentId)),
            "revision": .string(change.revision),
        ]
        if let type = found?.type { members["type"] = .string(VisibleText.beginning(of: type)) }
        if let date = found?.date { members["date"] = .string(Amounts.date(date)) }
        if let origin = change.origin { members["origin"] = .string(VisibleText.of(origin)) }
        return
            "id: \(change.sequence)\nevent: change\ndata: \(JSONValue.object(members).jsonText)\n\n"
    }

    private func figures() throws -> String {
        let statistics = try database.statistics()
        let figures: [String: JSONValue] = [
            "documents": .string(Amounts.count(statistics.documentCount)),
            "deletions": .string(Amounts.count(statistics.tombstoneCount)),
            "sequence": .string("\(statistics.lastSequence)"),
            "file": .string(Amounts.bytes(statistics.fileSizeBytes)),
        ]
        return "event: figures\ndata: \(JSONValue.object(figures).jsonText)\n\n"
    }
}
