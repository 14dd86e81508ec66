/// The version of an item: the service's, and the logical partition that the item is in.
///
/// A deletion says nothing of the document but its id and version, and the service wants to know the partition.
struct ItemVersion: Sendable, Hashable {
    /// The service's version.
    var etag: String
    /// The partition; nil where the id says it, and where there is none.
    var key: Cosmos.PartitionKey?

    init(etag: String, key: Cosmos.PartitionKey?) {
        self.etag = etag
        self.key = key
    }

    /// The version as text: the etag and, behind a space, the key as a JSON array.
    var text: String { key.map { "\(etag) \($0.headerText)" } ?? etag }

    /// Reads a version.
    init(_ text: String) {
        // An etag has no spaces.
        let parts = text.split(separator: " ", maxSplits: 1)
        etag = parts.first.map(String.init) ?? text
        key = parts.count > 1 ? Cosmos.PartitionKey(headerText: String(parts[1])) : nil
    }
}
