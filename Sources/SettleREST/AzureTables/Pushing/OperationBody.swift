import Settle
import SettleSync

/// What a request says of an item: the JSON text of an operation's members, under the names that they travel
/// with.
///
/// The text is written from the packed members where the bytes of their names tell how they travel, and from
/// values otherwise; it is the same.
struct OperationBody {
    private let operation: RemoteOperation
    private let dialect: AzureTablesBackend.Dialect
    /// The members that a request carries, under the names that they travel with; nil when they are not packed,
    /// or the bytes of a name do not tell how it travels.
    private let carried: PackedValue?

    init(_ operation: RemoteOperation, _ dialect: AzureTablesBackend.Dialect) {
        self.operation = operation
        self.dialect = dialect
        guard let packed = operation.form.packed else {
            carried = nil
            return
        }
        let members =
            Self.leavesOutAttachments(operation)
            ? try? packed.removing([TableColumns.attachments]) : packed
        carried = members.flatMap { dialect.columns.escaped($0) }
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
        guard let carried, let removed = removedNames() else {
            return changedMembers(sent).map { JSONText.text(of: .object($0)) }
        }
        let travelling = sent.map { Set($0.map { dialect.columns.escaped($0) }) }
        let isEmpty =
            travelling.map { !$0.contains { carried.hasMember($0) } }
            ?? ((try? carried.memberCount) == 0)
        if isEmpty, removed.isEmpty { return nil }
        let nulls = removed.map { (name: $0, value: JSONValue.null) }
        return text(with: nulls, only: travelling)
            ?? changedMembers(sent).map { JSONText.text(of: .object($0)) }
    }

    // MARK: From packed members

    /// The text of the members with others; nil when it has to be written from values.
    private func text(
        with others: [(name: String, value: JSONValue)], only names: Set<String>? = nil
    ) -> [UInt8]? {
        guard let carried else { return nil }
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

    /// The names that removed members travel with, ascending by the bytes of UTF-8; nil when one of them may be
    /// another spelling of a member.
    private func removedNames() -> [String]? {
        var removed: [String] = []
        for name in operation.changedNames ?? [] {
            if operation.form.packed?.hasMember(name) ?? false { continue }
            guard Self.hasOneSpelling(name) else { return nil }
            removed.append(dialect.columns.escaped(name))
        }
        return removed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether no other text is canonically equivalent to a name: three ASCII characters have doubles.
    private static func hasOneSpelling(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 && !";K`".utf8.contains($0) }
    }

    /// Whether a request leaves out what the item's attachments are, since it changes nothing: on servers that
    /// have attachments, those that are not mentioned stay.
    private static func leavesOutAttachments(_ operation: RemoteOperation) -> Bool {
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
        if Self.leavesOutAttachments(operation) { members[TableColumns.attachments] = nil }
        return members
    }
}
