/// An identifier, as servers compare it with others.
struct ItemIdentifier: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether another is the same byte by byte, as identifiers are compared here.
    func isSame(_ other: String) -> Bool {
        text.utf8.elementsEqual(other.utf8)
    }

    /// Whether another differs only in what some servers do not tell apart: upper and lower case, how
    /// accents are written, spaces at the end.
    func isAlike(_ other: String) -> Bool {
        !isSame(other) && Self.folded(text) == Self.folded(other)
    }

    private static func folded(_ text: String) -> String {
        var rest = text.lowercased()[...]
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
