extension Database {
    /// The versions of a document that lost and are no deletions; see ``Snapshot/conflicts(of:)``.
    public func conflicts(of id: String) async throws -> [Document] {
        try read { try $0.conflicts(of: id) }
    }

    /// Ends all conflicts of a document; see ``Transaction/resolveConflicts(of:with:)``.
    @discardableResult
    public func resolveConflicts(
        of id: String, with document: Document?
    ) async throws -> Document? {
        try await write { try $0.resolveConflicts(of: id, with: document) }
    }

    /// The documents that are in conflict, by identifier.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed, damaged, or cannot be read.
    /// - Complexity: Linear in their number.
    public func conflictedDocuments() throws -> [ConflictedDocument] {
        try read { try $0.conflictedDocuments() }
    }

    /// The documents that are in conflict, and again whenever others are, as an asynchronous sequence.
    ///
    /// Lists that come while nobody asks are left out, but for the last. Commits of other processes are seen, too.
    public var conflictStates: ConflictStates { ConflictStates(database: self) }
}

extension Snapshot {
    /// The documents that are in conflict, by identifier.
    fileprivate func conflictedDocuments() throws -> [ConflictedDocument] {
        var found: [ConflictedDocument] = []
        try forEachConflict {
            found.append($0)
            return true
        }
        return found
    }
}

/// The documents that are in conflict, and again whenever others are; see ``Database/conflictStates``.
///
/// - Complexity: After each commit the list is read again, in proportion to its length.
public struct ConflictStates: AsyncSequence, Sendable {
    /// The documents, by identifier.
    public typealias Element = [ConflictedDocument]

    let database: Database

    /// Begins with the list as it is.
    public func makeAsyncIterator() -> Iterator { Iterator(database: database) }

    /// The lists as somebody asks for them.
    public struct Iterator: AsyncIteratorProtocol {
        let database: Database
        private var sequence: UInt64?
        private var last: Element?

        init(database: Database) {
            self.database = database
        }

        /// Waits for the next list.
        ///
        /// - Returns: The list; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
        public mutating func next() async throws -> Element? {
            while !Task.isCancelled {
                if let sequence {
                    let reached = await database.hub.signal.wait(beyond: sequence)
                    guard reached != nil else { return nil }
                }
                let list = try database.read(named: "conflicts") { snapshot in
                    sequence = snapshot.sequence
                    return try snapshot.conflictedDocuments()
                }
                if list != last {
                    last = list
                    return list
                }
            }
            return nil
        }
    }
}
