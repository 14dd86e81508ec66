import Foundation
import SettleDocuments

extension Cosmos {
    /// One thing that is to be done with a resource or a list of resources.
    ///
    /// The front makes them, an ``OperationHandler`` carries them out. It is all that a handler knows, so
    /// it can be carried out by the service, by a cache, or later.
    struct Operation: Sendable, Hashable {
        /// What is to be done.
        enum Action: String, Sendable, Hashable {
            /// Makes a resource below the link.
            case create
            /// Makes a document below the link, or replaces the one with its id.
            case upsert
            /// Gives a page of the resources below the link.
            case list
            /// Gives a page of the result of a query over the resources below the link.
            case query
            /// Gives a page of what changed below the link.
            case changes
            /// Gives the resource at the link.
            case get
            /// Puts another body in place of that at the link.
            case replace
            /// Changes members of the document at the link.
            case patch
            /// Removes the resource at the link.
            case delete
            /// Carries out several writes below the link, all or none.
            case batch
            /// Runs the stored procedure at the link.
            case execute
            /// Gives the bytes of the attachment at the link.
            case readMedia
        }

        /// What is sent along.
        enum Body: Sendable, Hashable {
            /// Nothing.
            case none
            /// A JSON value: the resource, a query, a list of operations, the arguments of a procedure.
            case json(PackedValue)
            /// The bytes of an attachment.
            case media(bytes: [UInt8], contentType: String)

            /// Sends a value.
            ///
            /// - Throws: ``ClientError`` with `invalidDocument` when it cannot be written as JSON.
            static func json(_ value: JSONValue) throws(ClientError) -> Body {
                do {
                    return .json(try PackedValue(value))
                } catch {
                    throw ClientError(
                        .invalidDocument,
                        "A value of a request cannot be written as JSON: \(error)",
                        cause: error)
                }
            }
        }

        /// Where in a collection it happens.
        enum Partition: Sendable, Hashable {
            /// Nothing is said.
            case unspecified
            /// In the logical partition of a key.
            case key(PartitionKey)
            /// In all of them.
            case all
            /// In one physical partition: the id of its range.
            case range(id: String)
        }

        /// Which part of a list or result.
        struct Page: Sendable, Hashable {
            /// The most items; nil for as many as the service sees fit.
            var itemCountMax: Int?
            /// Where the page before ended; nil for the first.
            var continuation: String?
        }

        var action: Action
        /// The type of the resource or resources.
        var type: ResourceType
        /// The resource itself, or for what is made, listed or asked for, the one around it; nil for the account.
        var link: Link?
        /// The id of what is made; nil for the rest.
        var newId: String?
        var body = Body.none
        var partition = Partition.unspecified
        var page = Page()
        var options = RequestOptions()
        /// The version that a write depends on (`If-Match`); nil for any.
        var ifMatch: String?
        /// The version that a get need not send once more (`If-None-Match`); the response then is 304.
        var ifNoneMatch: String?
        /// The time since which the resource of a get must have changed (`If-Modified-Since`).
        var ifModifiedSince: Date?
        /// Whether only the service may answer, and nothing that this device keeps.
        var needsService = false
        /// What was seen of the collection before, maybe by another client: a read sees no less.
        var seenSession: String?
        /// Whether a query is not to be answered, but to be planned.
        var asksForPlan = false
        /// The type that a document is written as, under a name that outlasts the process.
        var contentName: String?
        /// Whether it is given up at the first failure, since one is likely.
        var isTriedOnce = false
        /// Whether it is sent no second time by itself when it is not known what became of the first.
        var isSentOnce = false

        init(_ action: Action, _ type: ResourceType, at link: Link?) {
            self.action = action
            self.type = type
            self.link = link
        }

        /// Whether it changes nothing.
        var isRead: Bool {
            switch action {
            case .list, .query, .changes, .get, .readMedia: true
            case .create, .upsert, .replace, .patch, .delete, .batch, .execute: false
            }
        }

        /// Whether it is sent again by itself after a failure: carrying it out twice has the outcome of carrying it out
        /// once, and the same response.
        var isRepeatable: Bool {
            if isTriedOnce { return false }
            return isRead
                || (!isSentOnce && ifMatch == nil && (action == .upsert || action == .replace))
        }

        /// Whether it is about one physical partition, which may have been split.
        var namesRange: Bool {
            if case .range = partition { true } else { false }
        }

        /// Whether it concerns a list and not one resource.
        var isAboutMany: Bool {
            switch action {
            case .list, .query, .changes, .batch: true
            default: false
            }
        }

        /// The collection that it happens in; nil outside of one.
        var collection: Link? { link?.nearest(.collection) }

        /// The link of the one resource that it concerns; nil for lists, and for what gets its id from the service.
        var itemLink: Link? {
            switch action {
            case .create, .upsert:
                guard let newId, link?.isByResourceIds != true else { return nil }
                return link?.child(type, newId) ?? Link(type, newId)
            case .list, .query, .changes, .batch: return nil
            default: return link
            }
        }

        /// What it is in a sentence, as in "create a document in 'dbs/a/colls/b'".
        var subject: String {
            let place = link.map { "'\($0)'" } ?? "the account"
            return switch action {
            case .create: "create a \(type.noun) in \(place)"
            case .upsert: "create or replace a \(type.noun) in \(place)"
            case .list: "list what is in \(place)"
            case .query: "answer a query about \(place)"
            case .changes: "tell what changed in \(place)"
            case .get: "read the \(type.noun) \(place)"
            case .replace: "replace the \(type.noun) \(place)"
            case .patch: "change the \(type.noun) \(place)"
            case .delete: "delete the \(type.noun) \(place)"
            case .batch: "carry out a batch in \(place)"
            case .execute: "run the \(type.noun) \(place)"
            case .readMedia: "read the content of the \(type.noun) \(place)"
            }
        }
    }

    /// Carries out operations.
    ///
    /// ``RequestPipeline`` does so by the service; another may stand before it, answer from what it keeps, and
    /// hand on the rest.
    protocol OperationHandler: Sendable {
        /// Carries out one operation.
        ///
        /// - Parameter operation: The operation.
        /// - Returns: What came of it; a status of 304 when the resource is not of another version than
        ///   the one that the options name.
        /// - Throws: ``ClientError`` for every other outcome.
        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse
    }

    /// What came of an operation.
    struct OperationResponse: Sendable {
        /// What a response holds.
        enum Content: Sendable, Hashable {
            /// Nothing.
            case none
            /// One resource.
            case resource(ResourceBody)
            /// A page of a list or result: what the elements are, and the identifier of the resource around them.
            case feed([PackedValue], resourceId: String)
            /// Anything else.
            case bytes([UInt8])
        }

        /// The status: 200, 201, 204 or 304; 207 of a batch that was refused.
        var status: Int
        var metadata = ResponseMetadata()
        var content = Content.none
        /// Whether it comes from what this device keeps.
        var fromCache = false
        /// Where in the collection it was carried out, when that is another partition than was asked for.
        var partition: Operation.Partition?

        /// The resource; nil when there is none.
        var resource: ResourceBody? {
            if case .resource(let body) = content { body } else { nil }
        }
    }
}
