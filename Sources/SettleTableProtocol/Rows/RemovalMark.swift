package import SettleDocuments

/// The member that stands in the place of an item's others when it was deleted or left the reader's
/// sight.
///
/// Shape: `"@removed": {"reason": "changed" | "deleted"}`.
///
/// > Source: the deltas of OData 4.01.
package enum RemovalMark: String, Sendable, CaseIterable {
    /// It is there, and no longer for this reader.
    case changed
    /// It was deleted.
    case deleted

    /// What the member is called.
    package static let name = "@removed"
    private static let reason = "reason"

    /// The member's value.
    package var json: JSONValue { [Self.reason: .string(rawValue)] }

    /// Reads the member's value; nil when it is no object.
    ///
    /// Any reason but a deletion means that the item is out of sight.
    package init?(_ json: JSONValue?) {
        guard case .object(let members)? = json else { return nil }
        self = members[Self.reason] == .string(Self.deleted.rawValue) ? .deleted : .changed
    }
}
