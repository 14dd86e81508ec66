import Settle
import SettleTableProtocol

/// The JSON text round the items of a page.
struct PageFrame {
    /// What stands before the first item.
    let head: [UInt8]
    /// What stands behind the last one.
    let tail: [UInt8]

    /// A page as version 2 has it: the items, or with a count `{"count", "results"}`.
    init(count: Int?) {
        head = Array(
            (count.map { "{\"\(PageMember.count)\":\($0),\"\(PageMember.results)\":[" } ?? "[").utf8
        )
        tail = Array((count == nil ? "]" : "]}").utf8)
    }

    /// A page as version 3 has it: `{"count", "items", "nextLink"}`, null where there is none.
    init(count: Int?, nextLink: String?) {
        let count = count.map { "\($0)" } ?? "null"
        head = Array("{\"\(PageMember.count)\":\(count),\"\(PageMember.items)\":[".utf8)
        tail = Self.tail(PageMember.nextLink, nextLink)
    }

    /// Changes: `{"items", "token"}`.
    init(token: String) {
        head = Array("{\"\(PageMember.items)\":[".utf8)
        tail = Self.tail("token", token)
    }

    private static func tail(_ name: String, _ text: String?) -> [UInt8] {
        Array("],\"\(name)\":".utf8)
            + JSONText.text(of: text.map(JSONValue.string) ?? .null) + [UInt8(ascii: "}")]
    }
}
