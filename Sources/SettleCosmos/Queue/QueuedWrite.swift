import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos {
    /// A write that waits to be sent, as it is stored.
    ///
    /// Shape: Docs/Formats/Cosmos.md. Everything but the content is readable without a key.
    struct QueuedWrite: OutboxOperation, Equatable {
        static let operationName = "cosmos.write"

        /// What it does.
        enum Kind: String, Codable, Sendable, CaseIterable {
            case create, replace, delete, batch
        }

        /// One write of a batch; what it writes is in the content of the batch.
        struct Step: Codable, Sendable, Hashable {
            var kind: Kind
            var id: String
            var isUpsert = false
            var etag: String?
            var localEtag: String?
        }

        var kind: Kind
        /// The type of the resource.
        var type: String
        /// The link of the resource by ids; of a batch that of the collection.
        var link: String
        /// The key of the logical partition as a header has it; empty for none.
        var partition: String
        /// Whether it makes or replaces, whatever the service has; of a deletion, whether there need be nothing.
        var isUpsert = false
        /// Whether it replaces what was deleted here before it was sent: to the app a replace, though sent as an upsert,
        /// since somebody else may have deleted it as well.
        var followsDeletion: Bool?
        /// The version that the service must have; nil for any.
        ///
        /// The ``localEtag`` of the write before it, until that was sent.
        var etag: String?
        /// Whether the app named that version itself, so that no strategy resolves a conflict.
        var isStrict = false
        /// The version that the cache has after it; nil after a deletion.
        var localEtag: String?
        /// Whether it may have been carried out before it was queued.
        var isUncertain = false
        /// The body, of bytes an object with them, of a batch an object with the bodies; encrypted where the cache is.
        var content: StoredValue?
        /// The type of bytes; nil for a body of JSON.
        var contentType: String?
        var indexingDirective: String?
        var preTriggers: [String]?
        var postTriggers: [String]?
        /// The type that a document was written as, which has a resolver of conflicts of its own.
        var contentName: String?
        /// The writes of a batch.
        var steps: [Step]?

        init(_ kind: Kind, _ type: ResourceType, _ link: Link, partition: String) {
            self.kind = kind
            self.type = type.rawValue
            self.link = link.text
            self.partition = partition
        }

        /// Reads a queued write without its ``content``, which may be large: for those that only ask what waits.
        ///
        /// - Returns: nil when the operation is none of these writes.
        /// - Throws: What decoding throws.
        init?(headOf operation: QueuedOperation) throws {
            guard
                let write = try operation.operation(
                    as: QueuedWrite.self, leavingOut: [CodingKeys.content.stringValue])
            else { return nil }
            self = write
        }

        /// The name of the resource; of a batch that of the collection with the key of the partition.
        var name: ResourceName? {
            Link(link, isByResourceIds: false).map { ResourceName($0, partition: partition) }
        }

        var resourceType: ResourceType { ResourceType(rawValue: type) ?? .document }

        /// The names of all that it writes.
        var names: [ResourceName] {
            guard let name else { return [] }
            guard kind == .batch else { return [name] }
            return (steps ?? []).map {
                ResourceName(name.link.child(.document, $0.id), partition: partition)
            }
        }

        /// What it is found by in the queue: by what it writes, and by what that is in.
        var queueIds: [String] {
            var ids: [String] = []
            for name in names {
                ids.append(name.queueId)
                if name.link.type == .attachment, let parent = name.parent {
                    ids.append(parent.belowQueueId)
                }
            }
            return Array(Set(ids)).sorted()
        }
    }

    /// A JSON value that is stored as its text.
    struct StoredValue: Codable, Sendable, Hashable {
        let packed: PackedValue

        init(_ packed: PackedValue) { self.packed = packed }

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            packed = try JSONText.packed(
                from: Array(text.utf8).span, limits: JSONLimits(sizeMax: 64 << 20),
                largeIntegers: .rounded)
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            try value.encode(String(decoding: try JSONText.text(of: packed), as: UTF8.self))
        }
    }
}
