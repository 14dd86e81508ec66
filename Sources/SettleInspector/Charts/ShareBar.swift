/// One bar that is parted among several.
enum ShareBar {
    /// A part.
    struct Part: Sendable {
        let name: String
        let size: Int
        let shown: String
    }

    private static let width = 760
    private static let height = 40
    /// How many colours there are for parts; the style sheet has them.
    private static let colourCount = 8

    /// The drawing; nil when there is nothing in any part.
    static func drawing(_ parts: [Part], title: String) -> SVG? {
        let total = parts.reduce(0) { $0 + $1.size }
        guard total > 0 else { return nil }
        var begin = 0.0
        var children: [SVG] = []
        for (index, part) in parts.enumerated() where part.size > 0 {
            let share = Double(part.size) / Double(total) * Double(width)
            children.append(
                SVG(
                    "rect",
                    [
                        ("x", SVG.number(begin)), ("y", "0"), ("width", SVG.number(share)),
                        ("height", "\(height)"), ("class", "part part-\(index % colourCount)"),
                    ], [SVG("title", text: "\(part.name): \(part.shown)")]))
            begin += share
        }
        return SVG.drawing(width: width, height: height, title: title, children)
    }
}
