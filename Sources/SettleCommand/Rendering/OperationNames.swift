import Foundation

/// The identifiers of all operations of an outbox, and how few characters tell them apart.
struct OperationNames: Sendable {
    private let ids: Set<UUID>
    private let length: Int

    private static let lengthMin = 8

    /// The names of these operations.
    init(_ ids: Set<UUID>) {
        self.ids = ids
        let sorted = ids.map(\.uuidString).sorted()
        let shared = zip(sorted, sorted.dropFirst()).map { first, second in
            zip(first.utf8, second.utf8).prefix { $0 == $1 }.count
        }
        length = max(Self.lengthMin, (shared.max() ?? 0) + 1)
    }

    /// The beginning of an identifier that no other operation has.
    func short(_ id: UUID) -> String { String(id.uuidString.prefix(length)) }

    /// Whether an operation is in the outbox, so that others may wait for it.
    func contains(_ id: UUID) -> Bool { ids.contains(id) }
}
