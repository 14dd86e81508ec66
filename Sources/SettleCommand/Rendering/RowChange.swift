import Settle

/// A change of an answer with the row that it is about.
struct RowChange {
    /// The row: as it is now, or as it was for one that is gone.
    let row: QueryResultRow
    private let name: String
    /// One character for what happened.
    let mark: String
    private let old: Int?
    private let new: Int?

    /// A change that led from one answer to another.
    init(
        _ change: QueryRowChange, from last: QueryResultEnumerator,
        to next: QueryResultEnumerator
    ) {
        switch change {
        case .removed(let old):
            (row, name, mark, self.old, new) = (last[old], "removed", "-", old, nil)
        case .inserted(let new):
            (row, name, mark, old, self.new) = (next[new], "inserted", "+", nil, new)
        case .updated(let old, let new):
            (row, name, mark, self.old, self.new) = (next[new], "updated", "~", old, new)
        case .moved(let old, let new):
            (row, name, mark, self.old, self.new) = (next[new], "moved", ">", old, new)
        }
    }

    /// Whether the row is in the answer now.
    var isThere: Bool { new != nil }

    /// What happened, as colours tell it.
    var role: Palette.Role {
        switch mark {
        case "+": .inserted
        case "-": .removed
        default: .changed
        }
    }

    /// Where the row was and is, counted from 1.
    var place: String {
        switch (old, new) {
        case (let old?, let new?) where old != new:
            "\(Quantity.number(old + 1)) > \(Quantity.number(new + 1))"
        default: (new ?? old).map { Quantity.number($0 + 1) } ?? ""
        }
    }

    /// The change for programs; positions count from 0.
    var value: JSONValue {
        var members: [String: JSONValue] = [
            "change": .string(name), "row": RowText.value(of: row),
        ]
        if let old { members["old"] = .integer(Int64(old)) }
        if let new { members["new"] = .integer(Int64(new)) }
        return .object(members)
    }
}
