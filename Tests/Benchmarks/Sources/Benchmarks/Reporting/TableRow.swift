/// A comparison as a row of a table that is Markdown and lines up on a terminal too.
enum TableRow {
    private static let columns: [(title: String, width: Int)] = [
        ("case", 19), ("peer", 12), ("unit", 11), ("Settle", 10), ("peer's", 10), ("ratio", 6),
        ("target", 7), ("spread", 13), ("flushes", 7), ("peer's", 6), ("remark", 6),
    ]
    /// The columns of words; the others hold numbers.
    private static let words: Set = [0, 1, 2, 10]

    /// The head of the table: two lines.
    static var head: String {
        let rule = columns.indices.map { place in
            let dashes = String(repeating: "-", count: columns[place].width - 1)
            return words.contains(place) ? "-" + dashes : dashes + ":"
        }
        return line(columns.map(\.title)) + "\n" + line(rule)
    }

    /// The row of a comparison.
    static func text(_ comparison: Comparison) -> String {
        let isMissed = comparison.target.map { !$0.isMet(by: comparison.ratio) } ?? false
        let remarks = [isMissed ? "MISSED" : nil, comparison.remark].compactMap { $0 }
        let spread = comparison.spread
        return line([
            comparison.caseName, comparison.peerName, comparison.unit,
            Figures.short(comparison.settle.value), Figures.short(comparison.peer.value),
            Figures.short(comparison.ratio), text(comparison.target),
            "\(Figures.short(spread.lowerBound))–\(Figures.short(spread.upperBound))",
            comparison.settle.flushes.map(Figures.short) ?? "",
            comparison.peer.flushes.map(Figures.short) ?? "", remarks.joined(separator: "; "),
        ])
    }

    private static func text(_ target: Target?) -> String {
        switch target {
        case .atLeast(let bound)?: "≥ \(Figures.short(bound))"
        case .atMost(let bound)?: "≤ \(Figures.short(bound))"
        case nil: ""
        }
    }

    private static func line(_ cells: [String]) -> String {
        let padded = zip(cells, columns).enumerated().map { place, cell in
            let space = String(repeating: " ", count: max(0, cell.1.width - cell.0.count))
            return words.contains(place) ? cell.0 + space : space + cell.0
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
