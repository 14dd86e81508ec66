/// Rows in columns, for a terminal.
struct TextTable {
    /// A column's title and side.
    struct Column {
        /// What stands above it.
        let title: String
        /// Whether its cells end at one line rather than begin at one: for numbers.
        let isRight: Bool

        /// A column whose cells begin at one line.
        static func left(_ title: String) -> Column { Column(title: title, isRight: false) }
        /// A column whose cells end at one line.
        static func right(_ title: String) -> Column { Column(title: title, isRight: true) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "A row has a cell for each column.")
        rows.append(cells.map(ScreenText.printable))
    }

    /// The lines of the table; no line ends in spaces.
    ///
    /// - Parameter isTitled: Whether the titles come first.
    /// - Returns: The lines.
    func lines(isTitled: Bool = true) -> [String] {
        let all = (isTitled ? [columns.map(\.title)] : []) + rows
        let widths = columns.indices.map { column in
            all.map { ScreenText.width(of: $0[column]) }.max() ?? 0
        }
        return all.map { row in
            let cells = row.indices.map {
                pad(row[$0], to: widths[$0], isRight: columns[$0].isRight)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop(while: { $0 == " " }).reversed())
        }
    }

    private func pad(_ cell: String, to width: Int, isRight: Bool) -> String {
        let spaces = String(repeating: " ", count: width - ScreenText.width(of: cell))
        return isRight ? spaces + cell : cell + spaces
    }
}
