import Settle
import SettleTableProtocol

/// What of items is sent, for all items of an answer.
struct ItemForm: Sendable, Equatable {
    /// The columns that stand beside the members, ascending by the bytes of their names.
    let columns: [SystemColumn]
    /// The names of the columns.
    let names: JSONColumns
    /// The names to send; nil for all of them.
    let selection: Set<String>?

    /// Makes the form for many items.
    ///
    /// - Parameters:
    ///   - columns: The columns of the dialect, ascending by the bytes of their names.
    ///   - selection: The names to send, nil for all of them; names that an item does not have are left
    ///     out.
    init(_ columns: [SystemColumn], selecting selection: Set<String>? = nil) {
        self.columns = columns.filter { selection?.contains($0.rawValue) ?? true }
        names = JSONColumns(self.columns.map(\.rawValue))
        self.selection = selection
    }
}
