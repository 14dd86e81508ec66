/// The pages of the menu.
enum Section: String, CaseIterable {
    case overview, documents, indexes, changes, outbox, replication, entities, server

    /// What the menu calls it.
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
