import Settle
import SettleOData

@testable import SettleServer

extension TableItem {
    /// An item with these members and nothing remarkable else.
    static func sample(_ members: [String: JSONValue]) -> TableItem {
        TableItem(
            id: "x", members: ItemMembers(members), createdAt: Instant(ticks: 0),
            updatedAt: Instant(ticks: 0), version: "v", isDeleted: false)
    }
}
