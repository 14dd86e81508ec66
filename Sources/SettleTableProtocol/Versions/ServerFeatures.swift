/// What `settle serve` offers beyond the table protocol, as its responses announce it.
///
/// Shape: names with commas between, `batch, changes, removed, attachments`, in the header
/// `Settle-Features`.
package struct ServerFeatures: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    /// Many operations in one request; Docs/Formats/AzureTables.md.
    package static let batch = ServerFeatures(rawValue: 1)
    /// Waiting for changes.
    package static let changes = ServerFeatures(rawValue: 2)
    /// Attachments of items.
    package static let attachments = ServerFeatures(rawValue: 4)
    /// Rows that were removed from the reader's channels, for those who ask for them.
    package static let removals = ServerFeatures(rawValue: 8)
    /// All of them.
    package static let all: ServerFeatures = [.batch, .changes, .removals, .attachments]

    private static let names: [(name: String, feature: ServerFeatures)] = [
        ("batch", .batch), ("changes", .changes), ("removed", .removals),
        ("attachments", .attachments),
    ]

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reads the header; names that are not known mean nothing.
    package init(header: String) {
        self = []
        for part in header.split(separator: ",") {
            let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            for known in Self.names where known.name == name { insert(known.feature) }
        }
    }

    /// As the header has it.
    package var header: String {
        Self.names.filter { contains($0.feature) }.map(\.name).joined(separator: ", ")
    }
}
