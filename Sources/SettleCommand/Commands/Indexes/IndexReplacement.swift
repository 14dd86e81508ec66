import Settle

/// What keeps a declaration from taking the place of another index unasked.
enum IndexReplacement {
    /// Refuses a declaration whose name another index has.
    ///
    /// - Parameters:
    ///   - declaration: What is to be added.
    ///   - database: Where to.
    ///   - advice: What to do instead, as a sentence.
    /// - Throws: ``CommandFailure`` that tells both apart; ``DatabaseError`` as
    ///   `Database.indexStatuses()`.
    static func refuse(
        _ declaration: Database.IndexDeclaration, in database: Database, advice: String
    ) throws {
        let statuses = try database.indexStatuses()
        guard let status = statuses.first(where: { $0.name == declaration.name }),
            status.declaration != declaration
        else { return }
        throw CommandFailure(
            "There is another index '\(declaration.name)', so nothing was changed. It is "
                + "version '\(status.version)': \(IndexListing.text(of: status)). Given was "
                + "version '\(declaration.version)': \(IndexListing.text(of: declaration)). "
                + advice)
    }
}
