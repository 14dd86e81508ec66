public import Foundation
import SettleDocuments

// Attachments, on a document that is named by ids or was read.

extension Cosmos.Client {
    /// Makes an attachment of content that is elsewhere.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - contentType: The type of the content, such as `image/jpeg`.
    ///   - url: Where the content is.
    ///   - documentId: The id of the document.
    ///   - collectionId: The id of the collection.
    ///   - key: The partition key of the document; nil where that is the id.
    ///   - databaseId: The id of the database.
    /// - Returns: The attachment.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        attachmentWithId id: String, contentType: String, andMediaUrl url: URL,
        onDocument documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .create, id, .json(Self.attachment(id, contentType, url).packed),
            at: .document(documentId, inCollection: collectionId, inDatabase: databaseId), key)
    }

    /// Makes an attachment of content that is elsewhere.
    @discardableResult
    public func create<Content>(
        attachmentWithId id: String, contentType: String, andMediaUrl url: URL,
        onDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .create, id, .json(Self.attachment(id, contentType, url).packed),
            at: try document.link(), document.knownPartitionKey)
    }

    /// Makes an attachment of bytes that the service keeps.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - contentType: The type of the content, such as `image/jpeg`.
    ///   - data: The bytes, which are in memory meanwhile.
    ///   - documentId: The id of the document.
    ///   - collectionId: The id of the collection.
    ///   - key: The partition key of the document; nil where that is the id.
    ///   - databaseId: The id of the database.
    /// - Returns: The attachment.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        attachmentWithId id: String, contentType: String, with data: Data,
        onDocument documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .create, id, .media(bytes: [UInt8](data), contentType: contentType),
            at: .document(documentId, inCollection: collectionId, inDatabase: databaseId), key)
    }

    /// Makes an attachment of bytes that the service keeps, as AzureData's call of that name.
    ///
    /// The service has one name for an attachment of bytes (`Slug`), and that is its id. So the id is as it was given, and
    /// the name is not sent.
    @available(*, deprecated, message: "The service names bytes by the id; leave the name out.")
    @discardableResult
    public func create(
        attachmentWithId id: String, contentType: String, name: String, with data: Data,
        onDocument documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await create(
            attachmentWithId: id, contentType: contentType, with: data, onDocument: documentId,
            inCollection: collectionId, withPartitionKey: key, inDatabase: databaseId)
    }

    /// Makes an attachment of bytes that the service keeps.
    @discardableResult
    public func create<Content>(
        attachmentWithId id: String, contentType: String, with data: Data,
        onDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .create, id, .media(bytes: [UInt8](data), contentType: contentType),
            at: try document.link(), document.knownPartitionKey)
    }

    /// The attachments of a document; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        attachmentsOn documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String,
        maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Attachment> {
        attachments(maxPerPage) { () in
            (.document(documentId, inCollection: collectionId, inDatabase: databaseId), key)
        }
    }

    /// The attachments of a document; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get<Content>(
        attachmentsOn document: Cosmos.DocumentResource<Content>, maxPerPage: Int? = nil
    ) -> Cosmos.Pages<Cosmos.Attachment> {
        attachments(maxPerPage) { () throws(Cosmos.ClientError) in
            (try document.link(), document.knownPartitionKey)
        }
    }

    /// Reads an attachment, without its bytes; see ``get(_:at:options:)``.
    public func get(
        attachmentWithId id: String, onDocument documentId: String,
        inCollection collectionId: String, withPartitionKey key: Cosmos.PartitionKey? = nil,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await read(
            .document(documentId, inCollection: collectionId, inDatabase: databaseId)
                .child(.attachment, id), key)
    }

    /// Reads an attachment, without its bytes; see ``get(_:at:options:)``.
    public func get<Content>(
        attachmentWithId id: String, onDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await read(
            try Self.link(.attachment, id, in: document), document.knownPartitionKey)
    }

    private func read(
        _ link: Cosmos.Link, _ key: Cosmos.PartitionKey?
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        var operation = Cosmos.Operation(.get, .attachment, at: link)
        operation.partition = try await partition(ofItemAt: link, key)
        return try Self.response(try await perform(operation), operation)
    }

    /// Reads the bytes of an attachment that the service keeps.
    ///
    /// - Parameters:
    ///   - attachment: The attachment as it was read.
    ///   - key: The partition key of its document; nil where that is the id.
    /// - Returns: The bytes, all of which are in memory.
    /// - Throws: ``Cosmos/ClientError`` with `resourceRequestError` when the content is elsewhere, and as the service
    ///   answers.
    public func get(
        contentOf attachment: Cosmos.Attachment, withPartitionKey key: Cosmos.PartitionKey? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Data> {
        guard let media = attachment.mediaId else {
            throw Cosmos.ClientError(
                .resourceRequestError,
                "The content of the attachment '\(attachment.id)' is not kept by the service; fetch it from "
                    + "its address.")
        }
        let link = try attachment.link()
        var operation = Cosmos.Operation(.readMedia, .attachment, at: link)
        operation.newId = media
        operation.partition = try await partition(ofItemAt: link, key)
        let response = try await perform(operation)
        guard case .bytes(let bytes) = response.content else {
            return Cosmos.Response(Data(), response)
        }
        return Cosmos.Response(Data(bytes), response)
    }

    /// Puts content that is elsewhere in place of an attachment's, whatever its version.
    @discardableResult
    public func replace(
        attachmentWithId id: String, contentType: String, andMediaUrl url: URL,
        onDocument documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .replace, id, .json(Self.attachment(id, contentType, url).packed),
            at: .document(documentId, inCollection: collectionId, inDatabase: databaseId), key)
    }

    /// Puts bytes in place of an attachment's content, whatever its version.
    @discardableResult
    public func replace(
        attachmentWithId id: String, contentType: String, with data: Data,
        onDocument documentId: String, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .replace, id, .media(bytes: [UInt8](data), contentType: contentType),
            at: .document(documentId, inCollection: collectionId, inDatabase: databaseId), key)
    }

    /// Puts content that is elsewhere in place of an attachment's, whatever its version.
    @discardableResult
    public func replace<Content>(
        attachmentWithId id: String, contentType: String, andMediaUrl url: URL,
        onDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .replace, id, .json(Self.attachment(id, contentType, url).packed),
            at: try document.link(), document.knownPartitionKey)
    }

    /// Puts bytes in place of an attachment's content, whatever its version.
    @discardableResult
    public func replace<Content>(
        attachmentWithId id: String, contentType: String, with data: Data,
        onDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        try await write(
            .replace, id, .media(bytes: [UInt8](data), contentType: contentType),
            at: try document.link(), document.knownPartitionKey)
    }

    /// Removes an attachment, whatever its version; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete<Content>(
        attachmentWithId id: String, fromDocument document: Cosmos.DocumentResource<Content>
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: try Self.link(.attachment, id, in: document),
            withPartitionKey: document.knownPartitionKey)
    }

    /// Removes an attachment, whatever its version; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        attachmentWithId id: String, fromDocument documentId: String,
        inCollection collectionId: String, withPartitionKey key: Cosmos.PartitionKey? = nil,
        inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: .document(documentId, inCollection: collectionId, inDatabase: databaseId)
                .child(.attachment, id), withPartitionKey: key)
    }
}

extension Cosmos.Client {
    private static func attachment(
        _ id: String, _ contentType: String, _ url: URL
    ) -> Cosmos.ResourceBody {
        Cosmos.ResourceBody(writing: [
            "id": .string(id), "contentType": .string(contentType),
            "media": .string(url.absoluteString),
        ])
    }

    private func write(
        _ action: Cosmos.Operation.Action, _ id: String, _ body: Cosmos.Operation.Body,
        at document: Cosmos.Link, _ key: Cosmos.PartitionKey?
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Attachment> {
        if action == .create { try Cosmos.IdentifierRule.check(id, of: .attachment) }
        var operation = Cosmos.Operation(
            action, .attachment, at: action == .create ? document : document.child(.attachment, id))
        operation.newId = id
        operation.body = body
        operation.partition = try await partition(ofItemAt: document, key)
        return try Self.response(try await perform(operation), operation)
    }

    private func attachments(
        _ maxPerPage: Int?,
        of document:
            @escaping @Sendable () throws(Cosmos.ClientError) -> (
                Cosmos.Link, Cosmos.PartitionKey?
            )
    ) -> Cosmos.Pages<Cosmos.Attachment> {
        pages(maxPerPage: maxPerPage, continuation: nil) {
            [self] () async throws(Cosmos.ClientError) in
            let (link, key) = try document()
            var operation = Cosmos.Operation(.list, .attachment, at: link)
            operation.partition = try await partition(ofItemAt: link, key)
            return operation
        }
    }
}
