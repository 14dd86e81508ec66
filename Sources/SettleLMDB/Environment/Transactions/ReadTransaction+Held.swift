extension ReadTransaction {
    /// Reads the value of a key in place, for an object that holds the transaction.
    ///
    /// As ``span(for:in:)``, but the value may be used as long as the holder is borrowed, which is
    /// what lets a layer above hand it on.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    ///   - holder: What holds the transaction and, like it, is lent to one closure only.
    /// - Returns: The value, or nil when the key is absent.
    /// - Throws: ``LMDBError`` as ``value(for:in:)``.
    @_lifetime(borrow holder)
    package func span<Holder: AnyObject>(
        for key: [UInt8], in table: Table, heldBy holder: borrowing Holder
    ) throws(LMDBError) -> Span<UInt8>? {
        guard let found = try span(for: key, in: table) else { return nil }
        return _overrideLifetime(found, borrowing: holder)
    }
}
