/// A write to one item.
struct ItemWrite: Sendable {
    var operation: WriteRequest
    /// The item's id, already checked.
    var id: String
    /// What `If-Match` says.
    var expectation = VersionExpectation.none
}
