import Settle

// What is kept of a remote that is replicated with by revisions: where its pulls are, what was set aside, and the
// documents that it refuses or the filter delegate holds back. Docs/Formats/Replication.md.

extension RemoteTables {
    /// The tables of a remote by revisions, which is made known when it is not.
    static func byRevisions(
        _ identifier: String, in transaction: Transaction
    ) throws -> RemoteTables {
        try RemoteTables(
            RemoteRecord.findOrMake(identifier, in: transaction, byRevisions: true),
            writingIn: transaction)
    }

    /// Whether there is a checkpoint of a pull, with a token or without.
    func hasCheckpoint(of query: PullQuery) throws -> Bool {
        try allCheckpoints().contains { $0.query == query.name }
    }

    /// Whether any document is refused or held back.
    func hasEntries() throws -> Bool { try !entries(after: nil, limit: 1).isEmpty }

    /// Whether a document has something that the remote was not offered, or does not take.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - sequence: Up to where changes were offered.
    ///   - identifier: The remote.
    /// - Returns: Whether it has.
    /// - Throws: What the database throws when it cannot be read.
    func hasUnoffered(
        _ id: String, after sequence: UInt64, to identifier: String
    ) throws -> Bool {
        if try entry(id) != nil { return true }
        guard let last = try snapshot.lastChange(of: id), !last.isPurged, last.sequence > sequence
        else { return false }
        return try snapshot.leaves(of: id).contains { $0.origin != identifier }
    }
}
