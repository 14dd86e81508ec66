extension OutboxSnapshot {
    /// A tag; nil when none was set.
    ///
    /// - Parameters:
    ///   - identifier: What the tag is: `"etag"`, say.
    ///   - key: What it belongs to: a cloud URI, a document's identifier, the name of a zone.
    /// - Returns: The tag.
    /// - Throws: ``OutboxError`` with `invalidTag`; ``/Settle/DatabaseError`` when the database is damaged
    ///   or cannot be read.
    public func tag(_ identifier: String, of key: String) throws -> CloudTag? {
        try tagTable.tag(identifier, of: key)
    }

    /// Walks the tags of a key, in the byte order of their identifiers.
    ///
    /// - Parameters:
    ///   - key: What they belong to.
    ///   - body: Called with each; answers false to stop.
    /// - Throws: ``OutboxError`` with `invalidTag`; ``/Settle/DatabaseError`` when the database is damaged or
    ///   cannot be read; what `body` throws.
    public func forEachTag(
        of key: String, _ body: (_ identifier: String, CloudTag) throws -> Bool
    ) throws {
        try tagTable.forEach(of: key, body)
    }
}

extension OutboxTransaction {
    /// A tag, as this transaction has set it; see ``OutboxSnapshot/tag(_:of:)``.
    public func tag(_ identifier: String, of key: String) throws -> CloudTag? {
        try TagTable(writingIn: transaction).tag(identifier, of: key)
    }

    /// Sets a tag.
    ///
    /// - Parameters:
    ///   - tag: The tag; nil to remove it.
    ///   - identifier: What it is, 1 to 400 bytes of UTF-8.
    ///   - key: What it belongs to, 1 to 8,192 bytes of UTF-8.
    /// - Throws: ``OutboxError`` with `invalidTag`, also for more than 1 MiB; ``/Settle/DatabaseError`` when the
    ///   database cannot be written.
    public func setTag(_ tag: CloudTag?, _ identifier: String, of key: String) throws {
        try TagTable(writingIn: transaction).set(tag, identifier, of: key)
    }

    /// Removes every tag of a key.
    ///
    /// - Throws: ``OutboxError`` with `invalidTag`; ``/Settle/DatabaseError`` when the database is damaged or
    ///   cannot be written.
    public func removeAllTags(of key: String) throws {
        try TagTable(writingIn: transaction).removeAll(of: key)
    }
}
