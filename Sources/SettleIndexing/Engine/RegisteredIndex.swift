/// An index as a database has it now: what the engine must know to work for it.
package struct RegisteredIndex: Sendable {
    /// What the index is.
    package let definition: IndexDefinition
    /// Tells this definition from others that had the name before, or take it later.
    package let number: Int
    /// Whether the database still has the definition; work for one that it has not is broken off.
    let isCurrent: @Sendable () -> Bool
    /// Called with what rows of an index that answers were changed.
    let applied: @Sendable (RowChanges) -> Void

    /// An index for the engine.
    ///
    /// - Parameters:
    ///   - definition: What the index is.
    ///   - number: Tells this definition from others of its name.
    ///   - isCurrent: Whether the database still has the definition; called from any thread.
    ///   - applied: Called after each commit that changed rows which answer, from any thread.
    package init(
        _ definition: IndexDefinition, number: Int, isCurrent: @escaping @Sendable () -> Bool,
        applied: @escaping @Sendable (RowChanges) -> Void
    ) {
        self.definition = definition
        self.number = number
        self.isCurrent = isCurrent
        self.applied = applied
    }
}
