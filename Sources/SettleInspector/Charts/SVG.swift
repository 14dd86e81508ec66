/// An element of a drawing, as text.
///
/// Attributes and texts are escaped here and nowhere else.
struct SVG: Sendable {
    /// The text, ready for a page.
    let text: String

    /// An element with other elements inside.
    init(_ name: String, _ attributes: [(String, String)] = [], _ children: [SVG] = []) {
        text = Self.opening(name, attributes) + children.map(\.text).joined() + "</\(name)>"
    }

    /// An element with text inside.
    init(_ name: String, _ attributes: [(String, String)] = [], text content: String) {
        text =
            Self.opening(name, attributes) + HTMLText.escaped(VisibleText.of(content))
            + "</\(name)>"
    }

    private static func opening(_ name: String, _ attributes: [(String, String)]) -> String {
        let shown = attributes.map { " \($0.0)=\"\(HTMLText.escaped(VisibleText.of($0.1)))\"" }
        return "<\(name)\(shown.joined())>"
    }

    /// A whole drawing, with what a screen reader says of it.
    static func drawing(
        width: Int, height: Int, title: String, _ children: [SVG]
    ) -> SVG {
        SVG(
            "svg",
            [
                ("viewBox", "0 0 \(width) \(height)"), ("width", "\(width)"),
                ("height", "\(height)"), ("role", "img"), ("aria-label", title),
                ("class", "chart"),
            ], [SVG("title", text: title)] + children)
    }

    /// A number as an attribute has it.
    static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() && abs(rounded) < 1e15
            ? String(Int(rounded)) : String(rounded)
    }
}
