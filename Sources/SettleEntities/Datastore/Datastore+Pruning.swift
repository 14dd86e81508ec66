public import Foundation
import Settle

extension Datastore {
    /// Removes superseded entries from this device, to save space.
    ///
    /// Current values stay, and so does what was not sent yet to a server that this database replicates with. The other
    /// devices and the server keep everything. An incremental pull does not bring back what was removed; the rule is kept,
    /// so that what a full pull brings back, and what it brings of the same age, is removed again in the background, until
    /// another rule is given or ``endPruning()`` is called.
    ///
    /// - Parameters:
    ///   - date: Removes only entries with an earlier datestamp; nil for all.
    ///   - count: Keeps so many superseded entries of each property, the latest; nil for none in particular.
    /// - Returns: How many entries were removed.
    /// - Throws: What the database throws. After a crash in between, calling it again removes the others.
    /// - Precondition: The count is not negative; date or count is given.
    /// - Complexity: O(h) for h superseded entries, in transactions of 1,000.
    @discardableResult
    public func prune(olderThan date: Date? = nil, keeping count: Int? = nil) async throws -> Int {
        precondition(date != nil || count != nil, "Say which entries to prune, by age or by count.")
        precondition(count ?? 0 >= 0, "A negative number of entries cannot be kept.")
        let rule = PruneRule(moment: date.map(Moment.clamped), count: count)
        try await database.write { try rule.keep(in: $0) }
        hub.setPruning(rule, of: database)
        return try await rule.prune(database, beginningWith: [EntryIdentifier.prefix])
    }

    /// Forgets the rule of ``prune(olderThan:keeping:)``: what comes from now on is kept.
    ///
    /// - Throws: What the database throws.
    public func endPruning() async throws {
        try await database.write { try PruneRule(moment: nil, count: nil).keep(in: $0) }
        hub.setPruning(nil, of: database)
    }
}

extension Datastore {
    /// Returns when what replications have brought so far was pruned.
    package func finishPruning() async {
        await hub.finishPruning()
    }
}
