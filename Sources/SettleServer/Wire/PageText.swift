import Settle

/// The JSON text of an answer with many items, which never become values on the way.
struct PageText {
    /// The text so far.
    private(set) var bytes: [UInt8] = []
    private let dialect: TableDialect
    private let selection: Set<String>?

    /// An empty text.
    ///
    /// - Parameters:
    ///   - dialect: The version of the protocol.
    ///   - selection: The names to send of each item; nil for all of them.
    init(_ dialect: TableDialect, selecting selection: Set<String>? = nil) {
        self.dialect = dialect
        self.selection = selection
    }

    /// Adds a page as version 2 has it: the items, or with a count `{"count", "results"}`.
    mutating func add(_ page: Page) {
        guard let count = page.count else { return add(page.items) }
        add("{\"count\":\(count),\"results\":")
        add(page.items)
        add("}")
    }

    /// Adds a page as version 3 has it: `{"count", "items", "nextLink"}`, null where there is none.
    mutating func add(_ page: Page, nextLink: String?) {
        add("{\"count\":\(page.count.map { "\($0)" } ?? "null"),\"items\":")
        add(page.items)
        add(",\"nextLink\":")
        bytes.append(contentsOf: JSONText.text(of: nextLink.map(JSONValue.string) ?? .null))
        add("}")
    }

    /// Adds changes: `{"items", "token"}`.
    mutating func add(_ items: [TableItem], token: String) {
        add("{\"items\":")
        add(items)
        add(",\"token\":")
        bytes.append(contentsOf: JSONText.text(of: .string(token)))
        add("}")
    }

    private mutating func add(_ items: [TableItem]) {
        add("[")
        for (index, item) in items.enumerated() {
            if index > 0 { add(",") }
            item.write(in: dialect, selecting: selection, to: &bytes)
        }
        add("]")
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
