import HTTPTypes
import Settle
import SettleTableProtocol

extension JSONPatch {
    /// The members of an item after the patch, and whether it is deleted then.
    ///
    /// The patch sees the item as it is sent in version 3, so that it can test `/version`. It may
    /// not change the server's columns, except that it brings a deleted item back by replacing
    /// `/deleted` with false; nor the attachments, for which there is the plain PATCH.
    ///
    /// - Returns: The members; or the ``Problem``: 409 with the item when the patch does not fit it,
    ///   400 when it changes what it may not.
    func applied(
        to item: TableItem
    ) -> Result<(members: [String: JSONValue], isDeleted: Bool), Problem> {
        guard item.members.valueCount(limit: Self.valueCountMax) <= Self.valueCountMax else {
            return .failure(
                Problem(
                    .contentTooLarge,
                    "The item has more than \(Self.valueCountMax) values, too many for a JSON patch; "
                        + "send the whole item."))
        }
        let before = item.json(in: .version3)
        let after: JSONValue
        do {
            after = try applied(to: before)
        } catch {
            return .failure(
                Problem(
                    .conflict,
                    "The change \(error.place) of the JSON patch cannot be made: \(error.reason).",
                    item: item))
        }
        guard var members = after.objectValue else {
            return .failure(Problem(.badRequest, "An item must stay an object."))
        }
        let isDeleted = item.isDeleted && members[SystemColumn.deleted.rawValue] != false
        let kept = TableDialect.version3.columns.map(\.rawValue) + [AttachmentColumn.name]
        for name in kept {
            let isUndelete = name == SystemColumn.deleted.rawValue && item.isDeleted && !isDeleted
            guard isUndelete || members[name] == before[name] else {
                return .failure(
                    Problem(
                        .badRequest,
                        "A JSON patch may not change '\(name)': the server keeps it itself."))
            }
            members[name] = nil
        }
        guard members[RemovalMark.name] == nil else {
            return .failure(ItemBody.setsRemoval)
        }
        let names = members.keys.sorted()
        if let name = names.first(where: { SystemColumn.isOverwritten($0) }) {
            return .failure(
                Problem(
                    .badRequest,
                    "A JSON patch may not set '\(name)': the server keeps a column of that name."))
        }
        return .success((members, isDeleted))
    }
}
