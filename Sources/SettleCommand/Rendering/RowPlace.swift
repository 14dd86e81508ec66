import Settle

/// Where the rows of an answer stand among all the rows of their index.
enum RowPlace {
    /// A sentence; nil for rows that were summed up, which stand nowhere.
    static func sentence(of result: QueryResultEnumerator) -> String? {
        guard let total = result.totalRows else { return nil }
        return sentence(count: result.count, offset: result.offset, total: total)
    }

    /// The sentence for so many rows.
    ///
    /// - Parameters:
    ///   - count: How many rows the answer has, at least 1.
    ///   - offset: How many rows of the index come before the first; nil when the rows do not
    ///     stand together.
    ///   - total: How many rows the index has.
    /// - Returns: The sentence.
    static func sentence(count: Int, offset: Int?, total: Int) -> String {
        guard count < total else { return Quantity.count(count, "row") + "." }
        let all = Quantity.number(total)
        guard let offset else { return "\(Quantity.number(count)) of \(all) rows." }
        if count == 1 { return "Row \(Quantity.number(offset + 1)) of \(all)." }
        let (first, last) = (Quantity.number(offset + 1), Quantity.number(offset + count))
        return "Rows \(first) to \(last) of \(all)."
    }
}
