/// A declared index as the database keeps it.
package struct StoredIndex: Sendable {
    /// What is declared.
    package let definition: IndexDefinition
    /// The versions of the other rows that are kept under its name.
    package let passedOver: Set<String>

    /// Picks the newest declaration among the states of an index; nil when none can be read.
    package init?(named name: String, _ states: some Collection<IndexState>) {
        // A build that was broken off is of the newest declaration.
        let sorted = states.sorted { left, right in
            (left.build != nil) == (right.build != nil)
                ? left.sequence > right.sequence : left.build != nil
        }
        let found = sorted.lazy.compactMap { try? $0.definition(named: name) }.first
        guard let definition = found else { return nil }
        self.init(definition, among: states)
    }

    /// What another process has put in the place of a definition and built; nil when there is none.
    ///
    /// - Parameters:
    ///   - definition: What is known of the index here.
    ///   - passedOver: The versions that were there when it became known.
    ///   - states: What the database keeps under its name.
    package init?(
        replacing definition: IndexDefinition, passedOver: Set<String>,
        _ states: some Collection<IndexState>
    ) {
        let known = passedOver.union([definition.version])
        let found = states.lazy.filter { $0.build == nil && !known.contains($0.version) }
            .compactMap { try? $0.definition(named: definition.name) }.first
        guard let definition = found else { return nil }
        self.init(definition, among: states)
    }

    private init(_ definition: IndexDefinition, among states: some Collection<IndexState>) {
        self.definition = definition
        passedOver = Set(states.map(\.version)).subtracting([definition.version])
    }
}
