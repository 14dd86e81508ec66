import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos {
    /// Applies writes to what this device keeps, and queues them, in one transaction.
    struct OfflineWriter {
        /// A write of one resource.
        struct Change {
            var action: Operation.Action
            var name: ResourceName
            /// What it is in a sentence.
            var subject: String
            /// The body, or of a patch that.
            var body: PackedValue?
            var media: (bytes: [UInt8], contentType: String)?
            var ifMatch: String?
            /// The versions that the documents have which earlier steps of the same batch have written.
            var written: [ResourceName: String?] = [:]
        }

        /// What a change did.
        struct Applied {
            var status: Int
            var record: CachedRecord?
            var write: QueuedWrite
            /// Where the copy was that is not kept any more.
            var removedPath: String?
        }

        let cache: CacheWriter
        let queue: OutboxTransaction
        let now: Date

        init(_ transaction: Transaction, _ sealer: Sealer, now: Date) throws {
            cache = try CacheWriter(transaction, sealer)
            queue = try transaction.outbox
            self.now = now
        }

        /// Applies a change to the cache.
        ///
        /// - Returns: What is to be queued, and what the cache has now.
        /// - Throws: ``ClientError`` with `conflict`, `notFound`, `preconditionFailed` or `badRequest` as the service would
        ///   answer, and `unreachable` when it takes what this device does not have.
        func apply(_ change: Change) throws -> Applied {
            let record = try cache.reader.record(of: change.name)
            let presence = try presence(change, record)
            if let kind = presence.refusal(of: change.action) {
                throw Self.refusal(kind, change.subject)
            }
            if let etag = change.ifMatch, let record, !record.hasVersion(etag) {
                throw ClientError(
                    .preconditionFailed,
                    "It is not possible to \(change.subject): this device has another version than was "
                        + "expected; read it again.", statusCode: 412)
            }
            if change.action == .delete { return try delete(change, record) }
            return try put(change, record)
        }

        private func presence(_ change: Change, _ record: CachedRecord?) throws -> Presence {
            if record != nil { return .present }
            if change.written[change.name] != nil { return .absent }
            return try queue.hasOperations(about: change.name.queueId) ? .absent : .unknown
        }

        private static func refusal(_ kind: ClientError.Kind, _ subject: String) -> ClientError {
            if kind == .conflict {
                return ClientError(
                    .conflict,
                    "It is not possible to \(subject): this device has one with its id already.",
                    statusCode: 409)
            }
            return ClientError(
                .notFound,
                "It is not possible to \(subject): it was deleted on this device, and the deletion is not "
                    + "sent yet.", statusCode: 404)
        }

        private func delete(_ change: Change, _ record: CachedRecord?) throws -> Applied {
            if record == nil, change.written[change.name] == nil { _ = try place(of: change) }
            var write = QueuedWrite(
                .delete, change.name.link.type, change.name.link, partition: change.name.partition)
            write.etag = condition(change, record)
            if let record { try cache.remove(at: record.path) }
            // What is in it goes with it.
            for operation in try queue.operations(about: change.name.belowQueueId)
            where operation.status == .pending && operation.startCount == 0 {
                try queue.skip(operation.id)
            }
            return Applied(status: 204, record: nil, write: write, removedPath: record?.path)
        }

        private func put(_ change: Change, _ record: CachedRecord?) throws -> Applied {
            let members = try members(change, record)
            if change.name.link.type == .document {
                try DocumentSize.check(members, change.subject)
            }
            let etag = "\"offline-\(UUID().uuidString.lowercased())\""
            let path = try record?.path ?? newPath(change)
            var given: [String: JSONValue?] = [
                "_etag": .string(etag), "_self": .string("\(path)/"),
                "_rid": .string(path.split(separator: "/").last.map(String.init) ?? ""),
                "_ts": .integer(now.secondsSince1970),
            ]
            if change.name.link.type == .document { given["_attachments"] = "attachments/" }
            if change.media != nil {
                given["media"] = .string("/media/\(UUID().uuidString.lowercased())")
            }
            var body = ResourceBody(packed: try members.setting(given))
            body.altLink = change.name.link
            guard try cache.put(body, named: change.name) != nil else {
                throw ClientError(
                    .invalidId, "It is not possible to \(change.subject): its place is too long.")
            }
            let makes = change.action == .create || (change.action == .upsert && record == nil)
            var write = QueuedWrite(
                makes ? .create : .replace, change.name.link.type, change.name.link,
                partition: change.name.partition)
            write.isUpsert = change.action == .upsert
            write.etag = condition(change, record)
            write.localEtag = etag
            if let media = change.media {
                try cache.put(media: media.bytes, ofAttachmentAt: path)
                write.content = try QueuedWrite.content(ofBytes: media.bytes, cache.sealer)
                write.contentType = media.contentType
            } else {
                write.content = StoredValue(try cache.sealer.sealed(members))
            }
            return Applied(
                status: makes ? 201 : 200, record: CachedRecord(path: path, body: body),
                write: write)
        }

        /// The version that the service must have: that which the caller has read, or of a patch that which it was
        /// applied to.
        private func condition(_ change: Change, _ record: CachedRecord?) -> String? {
            guard change.ifMatch != nil || change.action == .patch else { return nil }
            // What a batch has written itself cannot be another's.
            if change.written[change.name] != nil { return nil }
            return record?.body.etag ?? change.ifMatch
        }

        /// What is written, without the members that the service gives.
        private func members(_ change: Change, _ record: CachedRecord?) throws -> PackedValue {
            if let media = change.media {
                return try PackedValue([
                    "id": .string(change.name.link.name), "contentType": .string(media.contentType),
                ])
            }
            let given = try change.body ?? PackedValue([:])
            guard change.action == .patch else {
                let members = try given.removing(Cosmos.systemMembers)
                if change.action == .replace { try Self.checkId(members, change) }
                return members
            }
            guard let record else {
                throw ClientError(
                    .unreachable,
                    "There is no network to \(change.subject), and this device has no copy to change."
                )
            }
            let patched = try PatchApplication(change.subject).apply(
                try given.value(), to: .object(record.body.json))
            let members = try PackedValue(patched).removing(Cosmos.systemMembers)
            try Self.checkId(members, change)
            return members
        }

        /// Refuses another id: what waits is found by it.
        private static func checkId(
            _ members: PackedValue, _ change: Change
        ) throws(ClientError) {
            guard ResourceBody(packed: members).id != change.name.link.name else { return }
            throw ClientError(
                .unreachable,
                "There is no network to \(change.subject), and only the service can give it another id."
            )
        }

        /// The path of a resource that the service has not given an identifier yet.
        private func newPath(_ change: Change) throws -> String {
            let path = try place(of: change)
            let random = UUID().uuidString.filter { $0 != "-" }.prefix(20).lowercased()
            return "\(path)/\(change.name.link.type.pathComponent)/offline-\(random)"
        }

        /// The path of what a resource is in.
        ///
        /// - Throws: ``ClientError`` with `unreachable` when this device has never read that: it does not know by which
        ///   members documents are spread there, so that it could not refuse what the service will refuse.
        private func place(of change: Change) throws -> String {
            guard let parent = change.name.parent, let path = try cache.names.path(of: parent),
                try parent.link.type == .collection || cache.reader.record(of: parent) != nil
            else {
                throw ClientError(
                    .unreachable,
                    "There is no network to \(change.subject), and it cannot wait on this device, which has "
                        + "not yet read what it is in.")
            }
            return path
        }

        /// Queues a write behind the others of its resource, or makes one of both.
        func enqueue(_ write: QueuedWrite) throws {
            if write.kind != .batch, let name = write.name,
                let last = try queue.operations(about: name.queueId).last,
                last.status == .pending, last.startCount == 0,
                let waiting = try last.operation(as: QueuedWrite.self)
            {
                switch waiting.coalesced(with: write) {
                case .one(let left):
                    return try queue.modify(last.id) { try $0.set(left) }
                case .nothing:
                    try queue.skip(last.id)
                    return
                case .both: break
                }
            }
            try queue.add(write, about: write.queueIds)
        }
    }
}
