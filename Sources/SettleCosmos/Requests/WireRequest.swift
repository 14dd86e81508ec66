import Foundation
import HTTPTypes
import SettleDocuments
import SettleTableProtocol

extension Cosmos {
    /// An operation as a request of HTTP, without what changes from try to try: date, authorization, session.
    struct WireRequest: Sendable {
        var method: HTTPRequest.Method
        var path: String
        var fields: HTTPFields
        var body: [UInt8]?
        /// What it is authorized by, without the date.
        var signed: SignedRequest

        /// Writes an operation.
        ///
        /// - Throws: ``ClientError`` with `invalidId` when an id cannot be a segment of a path;
        ///   `resourceRequestError` when an option has characters that no header can
        ///   carry, `invalidDocument` when the body cannot be written.
        init(_ operation: Operation) throws(ClientError) {
            try Self.check(operation.link)
            method = Self.method(of: operation.action)
            path = Self.path(of: operation)
            fields = HTTPFields()
            body = nil
            signed = SignedRequest(
                method: method.rawValue,
                resourceType: operation.action == .readMedia
                    ? CosmosProtocol.media : operation.type.pathComponent,
                resourceLink: operation.link?.signedText ?? "", date: "",
                link: operation.link, type: operation.type, mode: operation.isRead ? .read : .all)
            if operation.type == .offer, let link = operation.link {
                signed.resourceLink = link.name.lowercased()
            }
            if operation.action == .readMedia, let id = operation.newId {
                signed.resourceLink = Self.attachment(ofMedia: id).lowercased()
            }
            fields[.accept] = CosmosProtocol.json
            fields[.cosmosVersion] = CosmosProtocol.version
            fields[.userAgent] = "Settle"
            write(operation)
            write(operation.partition)
            write(operation.options, of: operation)
            try write(operation.body, of: operation)
            for field in fields where !HTTPField.isValidValue(field.value) {
                throw ClientError(
                    .resourceRequestError,
                    "It is not possible to \(operation.subject): the header '\(field.name)' would have "
                        + "characters that none can carry.")
            }
        }

        /// Refuses ids that would lead to another resource: a path with an empty segment or one of dots is taken
        /// for a shorter one on its way.
        private static func check(_ link: Link?) throws(ClientError) {
            for step in link?.steps ?? [] where ["", ".", ".."].contains(step.name) {
                throw ClientError(
                    .invalidId,
                    "Nothing was sent: the id of a \(step.type.noun) is '\(step.name)', which would lead to "
                        + "another resource.")
            }
        }

        private static func method(of action: Operation.Action) -> HTTPRequest.Method {
            switch action {
            case .list, .changes, .get, .readMedia: .get
            case .create, .upsert, .query, .batch, .execute: .post
            case .replace: .put
            case .patch: .patch
            case .delete: .delete
            }
        }

        private static func path(of operation: Operation) -> String {
            switch operation.action {
            case .create, .upsert, .list, .query, .changes, .batch:
                Link.path(of: operation.type, in: operation.link)
            case .readMedia:
                "/\(CosmosProtocol.media)/"
                    + PercentEncoding.encoded(operation.newId ?? operation.link?.name ?? "")
            case .get, .replace, .patch, .delete, .execute:
                operation.link?.path ?? "/"
            }
        }

        /// The resource identifier of the attachment that has the bytes: the first 20 bytes of their name.
        private static func attachment(ofMedia id: String) -> String {
            let base64 = id.replacing("-", with: "/")
            guard let bytes = Data(base64Encoded: base64), bytes.count > 20 else { return id }
            return bytes.prefix(20).base64EncodedString().replacing("/", with: "-")
        }

        private mutating func write(_ operation: Operation) {
            switch operation.action {
            case .upsert: fields[.isUpsert] = "true"
            case .query where operation.asksForPlan:
                fields[.isQueryPlan] = "True"
                fields[.supportedQueryFeatures] = CosmosProtocol.queryFeatures
            case .query:
                fields[.isQuery] = "True"
            case .changes:
                fields[.instanceManipulation] = CosmosProtocol.incrementalFeed
            case .batch:
                fields[.isBatch] = "True"
                fields[.isBatchAtomic] = "True"
                fields[.batchContinuesOnError] = "False"
            default: break
            }
            if [.list, .query, .changes].contains(operation.action) {
                fields[.maxItemCount] = String(operation.page.itemCountMax ?? -1)
                if let continuation = operation.page.continuation {
                    fields[operation.action == .changes ? .ifNoneMatch : .continuation] =
                        continuation
                }
            }
            if let etag = operation.ifMatch { fields[.ifMatch] = etag }
            if let etag = operation.ifNoneMatch { fields[.ifNoneMatch] = etag }
            if let date = operation.ifModifiedSince {
                fields[.ifModifiedSince] = HTTPDate.text(
                    of: date.secondsSince1970)
            }
        }

        private mutating func write(_ partition: Operation.Partition) {
            switch partition {
            case .unspecified: break
            case .key(let key): fields[.partitionKey] = key.headerText
            case .all: fields[.enablesCrossPartition] = "True"
            case .range(let id):
                fields[.partitionKeyRangeId] = id
                if fields[.isQuery] != nil { fields[.enablesCrossPartition] = "True" }
            }
        }

        private mutating func write(
            _ options: RequestOptions, of operation: Operation
        ) {
            fields[.consistencyLevel] = options.consistencyLevel?.rawValue
            fields[.indexingDirective] = options.indexingDirective?.rawValue
            if !options.preTriggers.isEmpty {
                fields[.preTriggers] = options.preTriggers.joined(separator: ",")
            }
            if !options.postTriggers.isEmpty {
                fields[.postTriggers] = options.postTriggers.joined(separator: ",")
            }
            if let throughput = options.throughput { fields[.offerThroughput] = String(throughput) }
        }

        private mutating func write(
            _ body: Operation.Body, of operation: Operation
        ) throws(ClientError) {
            switch body {
            case .none: break
            case .media(let bytes, let type):
                fields[.contentType] = type
                if let id = operation.newId { fields[.slug] = id }
                self.body = bytes
            case .json(let packed):
                fields[.contentType] =
                    switch operation.action {
                    case .query: CosmosProtocol.query
                    case .patch: CosmosProtocol.patch
                    default: CosmosProtocol.json
                    }
                do {
                    self.body = try JSONText.text(of: packed)
                } catch {
                    throw ClientError(
                        .invalidDocument,
                        "It is not possible to \(operation.subject): its JSON is damaged.",
                        cause: error)
                }
            }
        }
    }
}
