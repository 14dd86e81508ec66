import Settle

extension OutboxSnapshot {
    /// The cloud URIs that a document is attached to, sorted.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func cloudURIs(of documentId: String) throws -> [String] {
        try links.uris(of: documentId)
    }

    /// The documents that are attached to a cloud URI, in the byte order of their identifiers.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func documentIds(attachedTo uri: String) throws -> [String] {
        try links.documentIds(of: uri)
    }

    /// The links of a document, sorted by their URIs.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func links(of documentId: String) throws -> [CloudLink] {
        try links.links(of: documentId, in: snapshot)
    }

    /// The links of a cloud URI, in the byte order of the documents' identifiers.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func links(to uri: String) throws -> [CloudLink] {
        try links.links(to: uri, in: snapshot)
    }

    /// The links that are pending, in the byte order of the documents' identifiers.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    /// - Complexity: Linear in their number.
    public func pendingLinks() throws -> [CloudLink] {
        try links.pendingLinks(in: snapshot)
    }
}

extension OutboxTransaction {
    /// The cloud URIs that a document is attached to, as this transaction has left them, sorted.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func cloudURIs(of documentId: String) throws -> [String] {
        try CloudLinks(writingIn: transaction).uris(of: documentId)
    }

    /// The documents that are attached to a cloud URI, as this transaction has left them.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func documentIds(attachedTo uri: String) throws -> [String] {
        try CloudLinks(writingIn: transaction).documentIds(of: uri)
    }

    /// The links of a document, as this transaction has left them, sorted by their URIs.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func links(of documentId: String) throws -> [CloudLink] {
        try CloudLinks(writingIn: transaction).links(of: documentId, in: transaction)
    }

    /// The links of a cloud URI, as this transaction has left them, in the byte order of the documents'
    /// identifiers.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    public func links(to uri: String) throws -> [CloudLink] {
        try CloudLinks(writingIn: transaction).links(to: uri, in: transaction)
    }

    /// The links that are pending, as this transaction has left them, in the byte order of the
    /// documents' identifiers.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be read.
    /// - Complexity: Linear in their number.
    public func pendingLinks() throws -> [CloudLink] {
        try CloudLinks(writingIn: transaction).pendingLinks(in: transaction)
    }

    /// Notes that a document and something on the cloud service belong together.
    ///
    /// A document may be attached to many URIs and a URI to many documents. Deleting or purging the
    /// document detaches it, in a process whose outbox is open. It need not be there yet, but at the end of the closure.
    ///
    /// - Parameters:
    ///   - uri: The address, or whatever the service knows it by; 1 to 8,192 bytes of UTF-8.
    ///   - documentId: The document.
    ///   - isPending: True when the service does not have it yet. Attaching the two again with false,
    ///     in the outcome of the upload, ends that; attaching them again with true changes nothing.
    /// - Throws: ``OutboxError`` with `invalidLink`; at the end of the closure with `documentNotFound`, and
    ///   nothing is committed; ``/Settle/DatabaseError`` when the database cannot be written.
    public func attach(_ uri: String, to documentId: String, isPending: Bool = false) throws {
        try CloudLinks(writingIn: transaction)
            .attach(uri, to: documentId, isPending: isPending)
        pendingOperations.attached.insert(Array(documentId.utf8))
    }

    /// Ends what ``attach(_:to:isPending:)`` began.
    ///
    /// - Returns: False when they were not attached.
    /// - Throws: ``/Settle/DatabaseError`` when the database cannot be written.
    @discardableResult
    public func detach(_ uri: String, from documentId: String) throws -> Bool {
        let wasThere = try CloudLinks(writingIn: transaction).detach(uri, from: documentId)
        if try CloudLinks(writingIn: transaction).uris(of: documentId).isEmpty {
            pendingOperations.attached.remove(Array(documentId.utf8))
        }
        return wasThere
    }
}

extension CloudLinks {
    fileprivate func links(of documentId: String, in snapshot: Snapshot) throws -> [CloudLink] {
        try uris(of: documentId).map { try link($0, documentId, in: snapshot) }
    }

    fileprivate func links(to uri: String, in snapshot: Snapshot) throws -> [CloudLink] {
        try documentIds(of: uri).map { try link(uri, $0, in: snapshot) }
    }

    fileprivate func pendingLinks(in snapshot: Snapshot) throws -> [CloudLink] {
        try pending().map { try link($0.uri, $0.documentId, in: snapshot) }
    }

    private func link(
        _ uri: String, _ documentId: String, in snapshot: Snapshot
    ) throws -> CloudLink {
        CloudLink(
            uri: uri, documentId: documentId, isPending: try isPending(uri, documentId),
            hasDocument: try snapshot.document(documentId) != nil)
    }
}
