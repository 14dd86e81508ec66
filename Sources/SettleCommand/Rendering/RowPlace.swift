/// How many rows an answer shows of those that were asked for.
struct RowPlace: Equatable {
    /// How many rows are shown, at least 1.
    let count: Int
    /// How many were passed over first.
    let skipped: Int
    /// How many rows there are between the keys that were asked for.
    let total: Int

    /// The place of an answer.
    ///
    /// - Parameters:
    ///   - count: How many rows are shown, at least 1.
    ///   - skipped: How many were passed over first.
    ///   - total: How many there are; nil for those that are shown.
    init(count: Int, skipped: Int = 0, total: Int? = nil) {
        self.count = count
        self.skipped = skipped
        self.total = max(total ?? 0, skipped + count)
    }

    /// The place in a sentence.
    var sentence: String {
        guard count < total else { return Quantity.count(count, "row") + "." }
        let all = Quantity.number(total)
        guard skipped > 0 else { return "\(Quantity.number(count)) of \(all) rows." }
        let first = Quantity.number(skipped + 1)
        if count == 1 { return "Row \(first) of \(all)." }
        return "Rows \(first) to \(Quantity.number(skipped + count)) of \(all)."
    }
}
