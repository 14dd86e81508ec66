import Settle
import SettleSync

/// What a request says of an item: the JSON text of an operation's members, under the names that they travel
/// with.
///
/// The text is written from the packed members where none of their names has to be changed, and from values
/// otherwise; it is the same.
struct OperationBody {
    private let operation: RemoteOperation
    private let dialect: AzureTablesBackend.Dialect
    /// The members; nil when they are not packed, or one of them travels under another name.
    private let packed: PackedValue?

    init(_ operation: RemoteOperation, _ dialect: AzureTablesBackend.Dialect) {
        self.operation = operation
        self.dialect = dialect
        packed = operation.form.packed.flatMap { dialect.columns.keepsNames(of: $0) ? $0 : nil }
    }

    /// The whole item.
    func item() -> [UInt8] {
        let id = [(name: TableColumns.id, value: JSONValue.string(operation.id))]
        return text(with: id) ?? JSONText.text(of: .object(itemMembers))
    }

    /// What an update sends; nil when that would be nothing.
    ///
    /// Where the server merges: all members or those that changed, and those that were removed as null.
    func change() -> [UInt8]? {
        guard dialect.change == .merge else { return item() }
        let sent = operation.sendsOnlyChanges ? operation.changedNames : nil
        guard let packed, let removed = removedNames(from: packed) else {
            return changedMembers(sent).map { JSONText.text(of: .object($0)) }
        }
        if let sent, removed.isEmpty, isEmpty(packed, only: sent) { return nil }
        if sent == nil, removed.isEmpty, (try? packed.memberCount) == 0 { return nil }
        let nulls = removed.map { (name: $0, value: JSONValue.null) }
        return text(with: nulls, only: sent)
            ?? changedMembers(sent).map { JSONText.text(of: .object($0)) }
    }

    // MARK: From packed members

    /// The text of the members with others; nil when it has to be written from values.
    private func text(
        with others: [(name: String, value: JSONValue)], only names: Set<String>? = nil
    ) -> [UInt8]? {
        guard let packed,
            let carried = leavesOutAttachments ? try? packed.removing([TableColumns.attachments])
                : packed
        else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(carried.bytes.count + carried.bytes.count / 4 + 64)
        do {
            try JSONText.text(
                of: carried, with: others, to: &text,
                where: names.map { names in { names.contains($0) } })
        } catch {
            return nil
        }
        return text
    }

    /// The names of members that were removed, ascending by the bytes of UTF-8; nil when one of them travels
    /// under another name, or may be another spelling of a member.
    private func removedNames(from packed: PackedValue) -> [String]? {
        var removed: [String] = []
        for name in operation.changedNames ?? [] {
            if (try? packed.packedMember(name)) != nil { continue }
            guard Self.hasOneSpelling(name), dialect.columns.escaped(name) == name else {
                return nil
            }
            removed.append(name)
        }
        return removed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether no other text is canonically equivalent to a name: three ASCII characters have doubles.
    private static func hasOneSpelling(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 && !";K`".utf8.contains($0) }
    }

    /// Whether nothing is carried of the members with some names.
    private func isEmpty(_ packed: PackedValue, only names: Set<String>) -> Bool {
        !names.contains { name in
            if leavesOutAttachments, name == TableColumns.attachments { return false }
            return (try? packed.packedMember(name)) != nil
        }
    }

    /// Whether a request leaves out what the item's attachments are, since it changes nothing: on servers that
    /// have attachments, those that are not mentioned stay.
    private var leavesOutAttachments: Bool {
        operation.kind == .insert
            ? operation.form.member(TableColumns.attachments) == [:]
            : operation.changedNames?.contains(TableColumns.attachments) == false
    }

    // MARK: From values

    private var itemMembers: [String: JSONValue] {
        var members = dialect.columns.escaped(carriedMembers)
        members[TableColumns.id] = .string(operation.id)
        return members
    }

    private func changedMembers(_ names: Set<String>?) -> [String: JSONValue]? {
        var sent = carriedMembers
        if let names { sent = sent.filter { names.contains($0.key) } }
        let members = operation.members
        for name in operation.changedNames ?? [] where members[name] == nil { sent[name] = .null }
        return sent.isEmpty ? nil : dialect.columns.escaped(sent)
    }

    /// The members that a request carries.
    private var carriedMembers: [String: JSONValue] {
        var members = operation.members
        if leavesOutAttachments { members[TableColumns.attachments] = nil }
        return members
    }
}
