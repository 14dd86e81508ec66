import Foundation
import Settle
import SettleDocuments
import SettleSync

/// How documents of a collection become items of a replication, and back.
struct ItemForm: Sendable {
    /// By which members documents are spread; nil for a collection without such a key.
    let definition: Cosmos.PartitionKeyDefinition?
    let deletion: CosmosBackend.Deletion
    /// Of what identifiers are made.
    var identifiers = CosmosBackend.Identifiers.id

    /// The members that the service gives to every document.
    static let serviceMembers: Set<String> = ["_attachments", "_etag", "_rid", "_self", "_ts"]
    /// The member after how many seconds without a write the service deletes a document.
    static let timeToLive = "ttl"
    /// The longest time to live, in seconds: what 32 bits hold.
    static let timeToLiveMax: Int64 = 2_147_483_647

    /// Whether the id is the partition key.
    var isKeyedById: Bool { definition?.paths == ["/id"] }

    /// Whether identifiers say in which logical partition a document is.
    var namesPartition: Bool {
        identifiers == .idAndPartition && definition != nil && !isKeyedById
    }

    /// What the service knows a document by.
    struct Place: Sendable, Hashable {
        var id: String
        /// The logical partition; nil where the identifier does not say it.
        var key: Cosmos.PartitionKey?
    }

    /// What the service knows the document with an identifier by; nil when no document of its can have the identifier.
    func place(of identifier: String) -> Place? {
        guard namesPartition else {
            return Place(id: identifier, key: isKeyedById ? Cosmos.PartitionKey(identifier) : nil)
        }
        guard let slash = identifier.firstIndex(of: "/"),
            let key = try? CosmosBackend.key(
                ofChannel: String(identifier[identifier.index(after: slash)...]))
        else { return nil }
        return Place(id: String(identifier[..<slash]), key: key)
    }

    /// The identifier of a document of the service's.
    private func identifier(
        _ id: String, _ key: Cosmos.PartitionKey?
    ) -> Result<String, Problem> {
        guard namesPartition else { return .success(id) }
        guard let key, !id.contains("/") else {
            return .failure(
                Problem(
                    "No identifier can be made of the document's id and partition key: the id has a '/', or there "
                        + "is an object or an array where the key has to be."))
        }
        return .success(CosmosBackend.identifier(of: id, in: key))
    }

    /// The member that marks deleted documents; nil when they are deleted at once.
    private var mark: String? {
        if case .soft(let member, _) = deletion { member } else { nil }
    }

    // MARK: Reading

    /// The item that a document of the service's is.
    ///
    /// - Parameters:
    ///   - document: The document with the service's members.
    ///   - isListed: Whether it is one of many, most of which are stored here.
    /// - Returns: The item; one without an id has a fault.
    func item(_ document: PackedValue, isListed: Bool = false) -> RemoteItem {
        let body = Cosmos.ResourceBody(packed: document)
        let key = isKeyedById ? nil : definition?.key(of: body)
        let named = body.id.isEmpty ? .success("") : identifier(body.id, key)
        let id = (try? named.get()) ?? ""
        let version = body.etag.map { etag in
            ItemVersion(etag: etag, key: namesPartition ? nil : key).text
        }
        let updated = body.timestampSeconds.map { Date(timeIntervalSince1970: Double($0)) }
        let isDeleted = mark.map { body[$0] == true } ?? false
        var left = Self.serviceMembers.union(["id"])
        if isDeleted, let mark { left.formUnion([mark, Self.timeToLive]) }
        guard !id.isEmpty, let rest = try? document.removing(Array(left)) else {
            var item = RemoteItem(id: id, version: version, members: [:], updated: updated)
            var reason = "The document cannot be read."
            if id.isEmpty { reason = "The document has no text for its 'id'." }
            if case .failure(let problem) = named { reason = problem.reason }
            item.fault = ItemFault(
                reason, member: id.isEmpty ? "id" : nil,
                place: id.isEmpty ? "the document with the _rid '\(body.resourceId)'" : nil)
            return item
        }
        return RemoteItem(
            id: id, version: version, isDeleted: isDeleted, packed: rest, updated: updated,
            isPrepared: isListed)
    }

    // MARK: Writing

    /// A document on its way to the service.
    struct Outgoing: Sendable {
        var body: Cosmos.ResourceBody
        var key: Cosmos.PartitionKey?

        var partition: Cosmos.Operation.Partition { key.map { .key($0) } ?? .unspecified }
    }

    /// The document that an insert or update writes, or why the service cannot have it.
    func outgoing(_ operation: RemoteOperation) -> Result<Outgoing, Problem> {
        guard let place = place(of: operation.id) else { return .failure(.unplaced) }
        if operation.kind == .insert, let fault = Cosmos.IdentifierRule.fault(of: place.id) {
            return .failure(Problem("The service takes no such id: it \(fault)."))
        }
        let packed: PackedValue
        do {
            let members =
                try operation.form.packed ?? PackedValue(.object(operation.members))
            packed = try members.setting(["id": .string(place.id)])
        } catch {
            return .failure(Problem("The document cannot be written as JSON."))
        }
        let body = Cosmos.ResourceBody(packed: packed)
        for name in Self.serviceMembers.sorted() where body[name] != nil {
            return .failure(
                Problem(
                    "The member '\(name)' is one that the service gives to every document. Rename it."
                ))
        }
        if let mark, body[mark] == true {
            return .failure(
                Problem(
                    "The member '\(mark)' is true, by which deleted documents are known there. Rename it, or give "
                        + "the replication another member for deletions."))
        }
        guard let definition else { return .success(Outgoing(body: body, key: nil)) }
        guard let key = definition.key(of: body) else {
            return .failure(
                Problem(
                    "There is an object or an array at \(definition.paths.joined(separator: ", ")), where the "
                        + "partition key has to be a text, a number, true, false or null."))
        }
        if namesPartition, key != place.key {
            return .failure(operation.kind == .insert ? .otherPartition : .move)
        }
        return .success(Outgoing(body: body, key: key))
    }

    /// Why the service cannot have a document, in a sentence.
    struct Problem: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        /// That an identifier is none of a document of the service's.
        static let unplaced = Problem(
            "The identifier of a document of this collection is its id there, a slash, and its partition key. Make it "
                + "by CosmosBackend.identifier(of:in:).")

        /// That identifier and members do not name the same partition.
        static let otherPartition = Problem(
            "The partition key of the document is another one than its identifier says. Make the identifier by "
                + "CosmosBackend.identifier(of:in:) with the key that the document has.")

        /// That a document cannot move.
        static let move = Problem(
            "The partition key of the document was changed, and the service cannot move a document to another "
                + "partition. Change it back, or delete the document and add another one with a new identifier."
        )
    }

    /// The logical partition of an item with a version; nil when it is not known.
    func key(of id: String, _ version: ItemVersion) -> Cosmos.PartitionKey? {
        place(of: id)?.key ?? version.key
    }

    /// The changes that mark a document as deleted; nil when documents are deleted at once.
    var marking: [Cosmos.PatchOperation]? {
        guard case .soft(let member, let timeToLive) = deletion else { return nil }
        var changes: [Cosmos.PatchOperation] = [.set(path: Self.path(member), value: true)]
        if let timeToLive {
            changes.append(
                .set(
                    path: Self.path(Self.timeToLive),
                    value: .integer(timeToLive.components.seconds)))
        }
        return changes
    }

    /// A deleted document as it was before it was marked.
    func unmarked(_ body: Cosmos.ResourceBody) -> Cosmos.ResourceBody {
        var body = body
        if let mark { body[mark] = nil }
        body[Self.timeToLive] = nil
        return body
    }

    /// A name as a path of JSON Pointer.
    private static func path(_ name: String) -> String {
        "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
