import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos {
    /// A write that waits to be sent.
    struct QueuedWrite: OutboxOperation {
        static let operationName = "cosmos.write"

        /// What it does.
        enum Kind: String, Codable, Sendable, CaseIterable {
            case create, replace, delete, batch
        }

        var kind: Kind
        /// The type of the resource.
        var type: String
        /// The link of the resource by ids; of a batch that of the collection.
        var link: String
        /// The key of the logical partition as a header has it; empty for none.
        var partition: String
        /// Whether it makes or replaces, whatever the service has.
        var isUpsert = false
        /// Whether it is written whatever version the service has.
        var isForced = false
        /// The version that it was made of; nil when the service had none.
        var etag: String?
        /// Whether it may have been carried out before it was queued.
        var isUncertain = false
        /// The body, or for bytes an object with them; encrypted where the cache is.
        var content: PackedValue?
        /// The type of bytes; nil for a body of JSON.
        var contentType: String?
        var indexingDirective: String?
        var preTriggers: [String] = []
        var postTriggers: [String] = []

        private enum CodingKeys: String, CodingKey {
            case kind, type, link, partition, isUpsert, isForced, etag, isUncertain, content
            case contentType, indexingDirective, preTriggers, postTriggers
        }

        init(_ kind: Kind, _ type: ResourceType, _ link: Link, partition: String) {
            self.kind = kind
            self.type = type.rawValue
            self.link = link.text
            self.partition = partition
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            kind = try values.decode(Kind.self, forKey: .kind)
            type = try values.decode(String.self, forKey: .type)
            link = try values.decode(String.self, forKey: .link)
            partition = try values.decode(String.self, forKey: .partition)
            isUpsert = try values.decodeIfPresent(Bool.self, forKey: .isUpsert) ?? false
            isForced = try values.decodeIfPresent(Bool.self, forKey: .isForced) ?? false
            etag = try values.decodeIfPresent(String.self, forKey: .etag)
            isUncertain = try values.decodeIfPresent(Bool.self, forKey: .isUncertain) ?? false
            contentType = try values.decodeIfPresent(String.self, forKey: .contentType)
            indexingDirective = try values.decodeIfPresent(String.self, forKey: .indexingDirective)
            preTriggers = try values.decodeIfPresent([String].self, forKey: .preTriggers) ?? []
            postTriggers = try values.decodeIfPresent([String].self, forKey: .postTriggers) ?? []
            if let text = try values.decodeIfPresent(String.self, forKey: .content) {
                content = try JSONText.packed(
                    from: Array(text.utf8).span, limits: JSONLimits(sizeMax: 64 << 20),
                    largeIntegers: .rounded)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(kind, forKey: .kind)
            try values.encode(type, forKey: .type)
            try values.encode(link, forKey: .link)
            try values.encode(partition, forKey: .partition)
            if isUpsert { try values.encode(true, forKey: .isUpsert) }
            if isForced { try values.encode(true, forKey: .isForced) }
            if isUncertain { try values.encode(true, forKey: .isUncertain) }
            try values.encodeIfPresent(etag, forKey: .etag)
            try values.encodeIfPresent(contentType, forKey: .contentType)
            try values.encodeIfPresent(indexingDirective, forKey: .indexingDirective)
            if !preTriggers.isEmpty { try values.encode(preTriggers, forKey: .preTriggers) }
            if !postTriggers.isEmpty { try values.encode(postTriggers, forKey: .postTriggers) }
            if let content {
                let text = String(decoding: try JSONText.text(of: content), as: UTF8.self)
                try values.encode(text, forKey: .content)
            }
        }

        /// The name of the resource; of a batch that of the collection.
        var name: ResourceName? {
            Link(link, isByResourceIds: false).map { ResourceName($0, partition: partition) }
        }

        var resourceType: ResourceType { ResourceType(rawValue: type) ?? .document }

        /// The queue of a snapshot.
        static func snapshot(_ snapshot: Snapshot) throws -> OutboxSnapshot {
            try OutboxSnapshot(in: snapshot)
        }

        /// The links of all resources with writes that wait.
        static func pendingLinks(_ transaction: Transaction) throws -> [Link] {
            try transaction.outbox.operations().compactMap { operation in
                guard let write = try operation.operation(as: QueuedWrite.self) else { return nil }
                return write.name?.link
            }
        }

        /// The operation that the service is asked to carry out.
        func operation(_ sealer: Sealer) throws(ClientError) -> Operation {
            guard let name else {
                throw ClientError(.internalError, "A queued write has no place that can be read.")
            }
            let body = try content.map { (packed) throws(ClientError) in try sealer.opened(packed) }
            let action: Operation.Action =
                switch kind {
                case .create: isUpsert ? .upsert : .create
                case .replace: isUpsert ? .upsert : .replace
                case .delete: .delete
                case .batch: .batch
                }
            let isBelow = action == .create || action == .upsert
            var operation = Operation(
                action, resourceType, at: isBelow ? name.link.parent : name.link)
            if kind != .batch { operation.newId = name.link.name }
            if let body {
                if let contentType {
                    let bytes = (try? body.member("bytes"))?.stringValue
                        .flatMap { Base64Text.bytes($0) }
                    operation.body = .media(bytes: bytes ?? [], contentType: contentType)
                } else {
                    operation.body = .json(body)
                }
            }
            operation.partition =
                partition.isEmpty
                ? .unspecified
                : PartitionKey(headerText: partition).map { .key($0) } ?? .unspecified
            if !isForced, !isUpsert, kind == .replace || kind == .delete {
                operation.ifMatch = etag
            }
            operation.options.indexingDirective = indexingDirective.flatMap {
                IndexingDirective(rawValue: $0)
            }
            operation.options.preTriggers = preTriggers
            operation.options.postTriggers = postTriggers
            operation.isSentOnce = true
            operation.needsService = true
            return operation
        }
    }
}

extension Cosmos.PartitionKey {
    /// Reads a key as a header has it.
    init?(headerText: String) {
        guard let json = try? JSONValue(jsonText: headerText), let values = json.arrayValue,
            !values.isEmpty
        else { return nil }
        self.init(
            components: values.map { value in
                switch value {
                case .string(let text): .string(text)
                case .integer(let number): .number(Double(number))
                case .double(let number): .number(number)
                case .bool(let flag): .bool(flag)
                case .null: .null
                case .array, .object: .undefined
                }
            })
    }
}
