import Settle
import SettleOData
import SettleTableProtocol

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
        for column in sentColumns(dialect.columns) { object[column.name] = column.value }
        return .object(object)
    }

    /// Appends the item as it is sent, as text.
    ///
    /// - Parameters:
    ///   - dialect: The version of the protocol.
    ///   - text: What is appended to.
    func write(in dialect: TableDialect, to text: inout [UInt8]) {
        write(in: dialect.form, to: &text)
    }

    /// Appends what is sent of the item, as text.
    ///
    /// - Parameters:
    ///   - form: What is sent.
    ///   - text: What is appended to.
    func write(in form: ItemForm, to text: inout [UInt8]) {
        if !isOutOfScope, attachments.isEmpty,
            members.write(
                with: form.names, selecting: form.selection, to: &text,
                { number, text in append(form.columns[number], to: &text) })
        {
            return
        }
        writeValues(in: form, to: &text)
    }

    /// Appends what is sent of the item, as text; its members need not have been checked.
    ///
    /// - Parameters: As ``write(in:to:)``.
    /// - Throws: ``DatabaseError`` with `corrupted` when its members are damaged.
    func writeChecking(in form: ItemForm, to text: inout [UInt8]) throws {
        guard !isOutOfScope, attachments.isEmpty else { return write(in: form, to: &text) }
        do throws(PackedError) {
            let isWritten = try members.writeChecking(
                with: form.names, selecting: form.selection, to: &text,
                { number, text in append(form.columns[number], to: &text) })
            if !isWritten { writeValues(in: form, to: &text) }
        } catch {
            throw DatabaseError(error, documentId: id)
        }
    }

    private func writeValues(in form: ItemForm, to text: inout [UInt8]) {
        let selection = isOutOfScope ? nil : form.selection
        var columns = sentColumns(form.columns)
        if let selection { columns.removeAll { !selection.contains($0.name) } }
        sentMembers.write(with: columns, selecting: selection, to: &text)
    }

    private var sentMembers: ItemMembers { isOutOfScope ? [:] : members }

    /// What is sent beside the members, ascending by the bytes of the names.
    private func sentColumns(
        _ own: [SystemColumn]
    ) -> [(name: String, value: JSONValue)] {
        var columns: [(name: String, value: JSONValue)] = []
        columns.reserveCapacity(SystemColumn.inOrderOfNames.count + 1)
        if isOutOfScope { columns.append((RemovalMark.name, RemovalMark.changed.json)) }
        if !isOutOfScope, !attachments.isEmpty {
            columns.append((AttachmentColumn.name, AttachmentColumn.json(attachments)))
        }
        for column in isOutOfScope ? SystemColumn.withoutCreation : own {
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
    private func append(_ column: SystemColumn, to text: inout [UInt8]) {
        switch column {
        case .id: JSONText.append(id, to: &text)
        case .createdAt: Self.append(createdAt, to: &text)
        case .updatedAt: Self.append(updatedAt, to: &text)
        case .version: storedVersion.appendJSON(to: &text)
        case .deleted: text.append(contentsOf: (isDeleted ? "true" : "false").utf8)
        }
    }

    private static func append(_ time: Instant, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        time.appendISO8601(to: &text)
        text.append(UInt8(ascii: "\""))
    }
}
