import Settle
import SettleOData

// How an item is sent.
//
// Shape: the members and the dialect's system columns in one object, and ``AttachmentColumn`` when
// there are attachments. Of an item that is out of sight: `id`, `updatedAt`, `version`, `deleted`
// and `"@removed": {"reason": "changed"}`, whatever is selected.
extension TableItem {
    /// The item as it is sent.
    ///
    /// - Parameter dialect: The version of the protocol.
    /// - Returns: An object.
    func json(in dialect: TableDialect) -> JSONValue {
        var object = sentMembers.values
        for column in sentColumns(in: dialect) { object[column.name] = column.value }
        return .object(object)
    }

    /// Appends the item as it is sent, as text.
    ///
    /// - Parameters:
    ///   - dialect: The version of the protocol.
    ///   - selection: The names to send, nil for all of them; names that the item does not have are
    ///     left out.
    ///   - text: What is appended to.
    func write(
        in dialect: TableDialect, selecting selection: Set<String>? = nil, to text: inout [UInt8]
    ) {
        let selection = isOutOfScope ? nil : selection
        var columns = sentColumns(in: dialect)
        if let selection { columns.removeAll { !selection.contains($0.name) } }
        sentMembers.write(with: columns, selecting: selection, to: &text)
    }

    /// The member that says that an item left the reader's sight.
    static let removalName = "@removed"

    private var sentMembers: ItemMembers { isOutOfScope ? [:] : members }

    /// What is sent beside the members, ascending by the bytes of the names.
    private func sentColumns(in dialect: TableDialect) -> [(name: String, value: JSONValue)] {
        var columns: [(name: String, value: JSONValue)] = []
        columns.reserveCapacity(SystemColumn.inOrderOfNames.count + 1)
        if isOutOfScope { columns.append((Self.removalName, ["reason": "changed"])) }
        if !isOutOfScope, !attachments.isEmpty {
            columns.append((AttachmentColumn.name, AttachmentColumn.json(attachments)))
        }
        for column in isOutOfScope ? SystemColumn.withoutCreation : dialect.columns {
            columns.append((column.rawValue, json(column)))
        }
        return columns
    }

    private func json(_ column: SystemColumn) -> JSONValue {
        switch column {
        case .id: .string(id)
        case .createdAt: .string(createdAt.iso8601)
        case .updatedAt: .string(updatedAt.iso8601)
        case .version: .string(version)
        case .deleted: .bool(isDeleted)
        }
    }
}
