import SettleServer

/// The texts of an item's row, which are counted before they are sent.
struct ItemTexts {
    /// The column `members`.
    let members: String
    /// The column `departures`; nil when there are none.
    let removals: String?
    /// The column `attachments`; nil when there are none.
    let attachments: String?

    init(_ item: TableItem) {
        members = ItemRow.members(of: item)
        removals = ItemRow.removals(of: item)
        attachments = ItemRow.attachments(of: item)
    }

    /// How many bytes they have together.
    var bytes: Int {
        members.utf8.count + (removals?.utf8.count ?? 0) + (attachments?.utf8.count ?? 0)
    }

    /// How many bytes the texts of one statement have, but for the last item.
    static let statementBytes = 4 << 20

    /// The texts of the first items, as many as one statement takes.
    ///
    /// - Parameter items: The items that are to be sent, in their order.
    /// - Returns: The texts of the first of them; of one at least, however large it is, when there
    ///   is any.
    static func first(of items: ArraySlice<TableItem>) -> [ItemTexts] {
        var bytes = 0
        var first: [ItemTexts] = []
        for item in items {
            guard bytes < statementBytes else { break }
            let texts = ItemTexts(item)
            bytes += texts.bytes
            first.append(texts)
        }
        return first
    }
}
