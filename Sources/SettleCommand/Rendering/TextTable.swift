/// Rows in columns, for a terminal.
struct TextTable {
    /// A column's title and side.
    struct Column {
        /// What stands above it.
        let title: String
        /// Whether its cells end at one line rather than begin at one: for numbers.
        let isRight: Bool
        /// In which round its cells are cut: names are copied, and a cut number is another one.
        private(set) var round = 0

        /// A column whose cells begin at one line.
        static func left(_ title: String) -> Column { Column(title: title, isRight: false) }
        /// A column of names, which begin at one line and are cut last.
        static func name(_ title: String) -> Column {
            Column(title: title, isRight: false, round: 1)
        }
        /// A column whose cells end at one line.
        static func right(_ title: String) -> Column {
            Column(title: title, isRight: true, round: 2)
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    private static let gap = 2
    /// What a column keeps however narrow the terminal is.
    private static let widthMin = 6

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
    /// - Parameters:
    ///   - isTitled: Whether the titles come first.
    ///   - screen: Where they are shown. If they are too wide for it, the widest cells are cut,
    ///     which an ellipsis shows, but no column below 6; names and numbers come last.
    /// - Returns: The lines.
    func lines(isTitled: Bool = true, on screen: Screen = .plain) -> [String] {
        let all = (isTitled ? [columns.map(\.title)] : []) + rows
        let natural = columns.indices.map { column in
            all.map { ScreenText.width(of: $0[column]) }.max() ?? 0
        }
        let widths = screen.width.map { fitting(natural, in: $0) } ?? natural
        return all.enumerated().map { number, row in
            let cells = row.indices.map {
                pad(
                    ScreenText.cut(row[$0], to: widths[$0]), to: widths[$0],
                    isRight: columns[$0].isRight)
            }
            let line = cells.joined(separator: String(repeating: " ", count: Self.gap))
            let trimmed = String(line.reversed().drop(while: { $0 == " " }).reversed())
            return isTitled && number == 0 ? screen.palette.text(trimmed, as: .heading) : trimmed
        }
    }

    /// Takes from the widest columns until all of them fit, from those of the first round first.
    private func fitting(_ natural: [Int], in width: Int) -> [Int] {
        var widths = natural
        for round in 0...2 {
            let gaps = Self.gap * max(widths.count - 1, 0)
            let excess = widths.reduce(0, +) + gaps - width
            let places = columns.indices.filter { columns[$0].round <= round }
            Self.take(excess, from: &widths, at: places)
        }
        return widths
    }

    private static func take(_ excess: Int, from widths: inout [Int], at candidates: [Int]) {
        var excess = excess
        while excess > 0, let widest = candidates.map({ widths[$0] }).max(), widest > widthMin {
            let places = candidates.filter { widths[$0] == widest }
            // Down to the next widest in one step, and together.
            let next = max(
                candidates.map { widths[$0] }.filter { $0 < widest }.max() ?? widthMin, widthMin)
            let cut = min(widest - next, (excess + places.count - 1) / places.count)
            for place in places {
                let taken = min(cut, excess)
                widths[place] -= taken
                excess -= taken
            }
        }
    }

    private func pad(_ cell: String, to width: Int, isRight: Bool) -> String {
        let spaces = String(repeating: " ", count: max(0, width - ScreenText.width(of: cell)))
        return isRight ? spaces + cell : cell + spaces
    }
}
