/// Dots on lines, one line for each thing that has a history.
enum TimeLine {
    /// A dot.
    struct Entry: Sendable {
        let line: String
        /// Where it is from left to right.
        let place: Double
        let shown: String
    }

    private static let width = 760
    private static let nameWidth = 180
    private static let rowHeight = 24

    /// The drawing, the lines in the order of their names; nil when there are no dots.
    static func drawing(_ entries: [Entry], title: String) -> SVG? {
        guard let least = entries.map(\.place).min(), let most = entries.map(\.place).max() else {
            return nil
        }
        let lines = Set(entries.map(\.line)).sorted()
        let across = Double(width - nameWidth - 16)
        var children: [SVG] = []
        for (index, line) in lines.enumerated() {
            let middle = "\(index * rowHeight + rowHeight / 2)"
            children += [
                SVG(
                    "text",
                    [
                        ("x", "\(nameWidth - 12)"), ("y", "\(index * rowHeight + 16)"),
                        ("text-anchor", "end"),
                    ], text: VisibleText.beginning(of: line, characters: 24)),
                SVG(
                    "line",
                    [
                        ("x1", "\(nameWidth)"), ("x2", "\(width - 8)"), ("y1", middle),
                        ("y2", middle), ("class", "axis"),
                    ]),
            ]
            children += entries.filter { $0.line == line }.map { entry in
                let place = most > least ? (entry.place - least) / (most - least) : 0.5
                return SVG(
                    "circle",
                    [
                        ("cx", SVG.number(Double(nameWidth) + 4 + place * across)), ("cy", middle),
                        ("r", "4"), ("class", "point"),
                    ], [SVG("title", text: entry.shown)])
            }
        }
        return SVG.drawing(
            width: width, height: lines.count * rowHeight + 4, title: title, children)
    }
}
