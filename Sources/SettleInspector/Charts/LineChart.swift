/// A line through points, from left to right.
enum LineChart {
    /// A point.
    struct Point: Sendable {
        /// Where it is from left to right: a time in seconds, for example.
        let place: Double
        let value: Double
    }

    private static let width = 760
    private static let height = 200
    private static let margin = 16.0

    /// The drawing; nil when there are less than two points.
    ///
    /// - Parameters:
    ///   - points: The points, in the order of their places.
    ///   - title: What it shows.
    ///   - first: The name of the first place.
    ///   - last: The name of the last place.
    ///   - shown: How a value is written.
    /// - Returns: The drawing.
    static func drawing(
        _ points: [Point], title: String, first: String, last: String,
        shown: (Double) -> String
    ) -> SVG? {
        let finite = points.filter { $0.value.isFinite && $0.place.isFinite }
        guard let begin = finite.first, let end = finite.last, finite.count > 1 else { return nil }
        let least = finite.map(\.value).min() ?? 0
        let most = finite.map(\.value).max() ?? 0
        let across = Double(width) - 2 * margin
        let up = Double(height) - 4 * margin
        let places = finite.map { point in
            let x =
                end.place > begin.place
                ? (point.place - begin.place) / (end.place - begin.place) : 0
            let y =
                most > least ? (point.value / 2 - least / 2) / (most / 2 - least / 2) : 0.5
            return (margin + x * across, 2 * margin + (1 - y) * up)
        }
        let path = places.map { "\(SVG.number($0.0)),\(SVG.number($0.1))" }.joined(separator: " ")
        var children = [
            SVG("polyline", [("points", path), ("class", "line"), ("fill", "none")])
        ]
        children += zip(places, finite).map { place, point in
            SVG(
                "circle",
                [
                    ("cx", SVG.number(place.0)), ("cy", SVG.number(place.1)), ("r", "3"),
                    ("class", "point"),
                ],
                [SVG("title", text: shown(point.value))])
        }
        let bottom = "\(height - 6)"
        children += [
            SVG("text", [("x", "4"), ("y", "14")], text: shown(most)),
            SVG("text", [("x", "4"), ("y", "\(height - 24)")], text: shown(least)),
            SVG("text", [("x", "\(Int(margin))"), ("y", bottom)], text: first),
            SVG(
                "text", [("x", "\(width - Int(margin))"), ("y", bottom), ("text-anchor", "end")],
                text: last),
        ]
        return SVG.drawing(width: width, height: height, title: title, children)
    }
}
