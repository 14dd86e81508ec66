extension OutboxSnapshot {
    /// The cloud URIs that a document is attached to, sorted.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public func cloudURIs(of documentId: String) throws -> [String] {
        try links.uris(of: documentId)
    }

    /// The documents that are attached to a cloud URI, in the byte order of their identifiers.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public func documentIds(attachedTo uri: String) throws -> [String] {
        try links.documentIds(of: uri)
    }
}

extension OutboxTransaction {
    /// The cloud URIs that a document is attached to, as this transaction has left them, sorted.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public func cloudURIs(of documentId: String) throws -> [String] {
        try CloudLinks(writingIn: transaction).uris(of: documentId)
    }

    /// The documents that are attached to a cloud URI, as this transaction has left them.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public func documentIds(attachedTo uri: String) throws -> [String] {
        try CloudLinks(writingIn: transaction).documentIds(of: uri)
    }

    /// Notes that a document and something on the cloud service belong together.
    ///
    /// A document may be attached to many URIs and a URI to many documents. Deleting or purging the
    /// document detaches it, in a process whose outbox is open. It need not be there yet, but at the end of the closure.
    ///
    /// - Parameters:
    ///   - uri: The address, or whatever the service knows it by; 1 to 8,192 bytes of UTF-8.
    ///   - documentId: The document.
    /// - Throws: ``OutboxError`` with `invalidLink`; at the end of the closure with `documentNotFound`, and
    ///   nothing is committed; ``DatabaseError`` when the database cannot be written.
    public func attach(_ uri: String, to documentId: String) throws {
        try CloudLinks(writingIn: transaction).attach(uri, to: documentId)
        notes.attached.insert(documentId)
    }

    /// Ends what ``attach(_:to:)`` began.
    ///
    /// - Returns: False when they were not attached.
    /// - Throws: ``DatabaseError`` when the database cannot be written.
    @discardableResult
    public func detach(_ uri: String, from documentId: String) throws -> Bool {
        let wasThere = try CloudLinks(writingIn: transaction).detach(uri, from: documentId)
        if try CloudLinks(writingIn: transaction).uris(of: documentId).isEmpty {
            notes.attached.remove(documentId)
        }
        return wasThere
    }
}
