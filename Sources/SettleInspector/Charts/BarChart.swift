/// Bars from left to right, one below the other, with their names and values.
enum BarChart {
    /// A bar.
    struct Bar: Sendable {
        let name: String
        let value: Double
        /// The value as it is stored.
        let shown: String
    }

    private static let rowHeight = 24
    private static let nameWidth = 220
    private static let barWidth = 400
    private static let valueWidth = 140

    /// The drawing; nil when there is nothing to draw.
    static func drawing(_ bars: [Bar], title: String) -> SVG? {
        let finite = bars.filter(\.value.isFinite)
        guard !finite.isEmpty else { return nil }
        let least = min(0, finite.map(\.value).min() ?? 0)
        let most = max(0, finite.map(\.value).max() ?? 0)
        // Halved first: the distance of two doubles may be none.
        let span = most / 2 - least / 2
        let width = { (value: Double) -> Double in
            span > 0 ? abs(value / 2) / span * Double(barWidth) : 0
        }
        let zero = Double(nameWidth) + width(least)
        var children: [SVG] = []
        for (index, bar) in finite.enumerated() {
            let top = index * rowHeight
            let begin = bar.value < 0 ? zero - width(bar.value) : zero
            children += [
                SVG(
                    "text",
                    [
                        ("x", "\(nameWidth - 8)"), ("y", "\(top + 16)"), ("text-anchor", "end"),
                    ], text: VisibleText.beginning(of: bar.name, characters: 28)),
                SVG(
                    "rect",
                    [
                        ("x", SVG.number(begin)), ("y", "\(top + 4)"),
                        ("width", SVG.number(max(1, width(bar.value)))),
                        ("height", "\(rowHeight - 8)"),
                        ("class", bar.value < 0 ? "bar below" : "bar"),
                    ], [SVG("title", text: "\(bar.name): \(bar.shown)")]),
                SVG(
                    "text",
                    [
                        ("x", "\(nameWidth + barWidth + 8)"), ("y", "\(top + 16)"),
                        ("class", "value"),
                    ], text: VisibleText.beginning(of: bar.shown, characters: 18)),
            ]
        }
        return SVG.drawing(
            width: nameWidth + barWidth + valueWidth, height: finite.count * rowHeight + 4,
            title: title, children)
    }
}
