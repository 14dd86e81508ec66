/// Boxes with arrows from what is done first to what waits for it.
enum GraphDrawing {
    /// A box.
    struct Box: Sendable {
        let id: String
        let name: String
        let state: String
        let link: String
        /// The identifiers of what is done before it.
        let dependencies: [String]
    }

    private static let boxWidth = 160
    private static let boxHeight = 44
    private static let gap = 48

    /// The drawing: what waits for nothing on the left, and each box to the right of all that it waits for.
    static func drawing(_ boxes: [Box], title: String) -> SVG? {
        guard !boxes.isEmpty else { return nil }
        let columns = columns(of: boxes)
        var rows: [Int: Int] = [:]
        var places: [String: (x: Int, y: Int)] = [:]
        for box in boxes {
            let column = columns[box.id] ?? 0
            let row = rows[column, default: 0]
            rows[column] = row + 1
            places[box.id] = (column * (boxWidth + gap) + 4, row * (boxHeight + 16) + 4)
        }
        let arrows = boxes.flatMap { box in
            box.dependencies.compactMap { arrow(from: places[$0], to: places[box.id]) }
        }
        let drawn = boxes.compactMap { box in places[box.id].map { drawing(of: box, at: $0) } }
        let width = ((columns.values.max() ?? 0) + 1) * (boxWidth + gap) - gap + 8
        let height = (rows.values.max() ?? 1) * (boxHeight + 16) - 8
        return SVG.drawing(width: width, height: height, title: title, [marker] + arrows + drawn)
    }

    /// How many boxes are on the longest way to each.
    private static func columns(of boxes: [Box]) -> [String: Int] {
        var columns: [String: Int] = [:]
        let known = Set(boxes.map(\.id))
        // Without circles, which an outbox refuses, each pass places one more of the longest way.
        for _ in boxes {
            var isSame = true
            for box in boxes {
                let before = box.dependencies.filter(known.contains).map { columns[$0] ?? 0 }
                let column = before.max().map { $0 + 1 } ?? 0
                if columns[box.id] != column {
                    columns[box.id] = column
                    isSame = false
                }
            }
            if isSame { break }
        }
        return columns
    }

    private static func drawing(of box: Box, at place: (x: Int, y: Int)) -> SVG {
        SVG(
            "a", [("href", box.link)],
            [
                SVG(
                    "rect",
                    [
                        ("x", "\(place.x)"), ("y", "\(place.y)"), ("width", "\(boxWidth)"),
                        ("height", "\(boxHeight)"), ("rx", "4"), ("class", "box"),
                    ]),
                SVG(
                    "text", [("x", "\(place.x + 8)"), ("y", "\(place.y + 18)")],
                    text: VisibleText.beginning(of: box.name, characters: 20)),
                SVG(
                    "text",
                    [("x", "\(place.x + 8)"), ("y", "\(place.y + 36)"), ("class", "value")],
                    text: VisibleText.beginning(of: box.state, characters: 20)),
            ])
    }

    private static func arrow(from: (x: Int, y: Int)?, to: (x: Int, y: Int)?) -> SVG? {
        guard let from, let to else { return nil }
        return SVG(
            "line",
            [
                ("x1", "\(from.x + boxWidth)"), ("y1", "\(from.y + boxHeight / 2)"),
                ("x2", "\(to.x - 2)"), ("y2", "\(to.y + boxHeight / 2)"), ("class", "arrow"),
                ("marker-end", "url(#arrow)"),
            ])
    }

    private static let marker = SVG(
        "defs", [],
        [
            SVG(
                "marker",
                [
                    ("id", "arrow"), ("viewBox", "0 0 8 8"), ("refX", "8"), ("refY", "4"),
                    ("markerWidth", "8"), ("markerHeight", "8"), ("orient", "auto"),
                ], [SVG("path", [("d", "M0 0L8 4L0 8z"), ("class", "head")])])
        ])
}
