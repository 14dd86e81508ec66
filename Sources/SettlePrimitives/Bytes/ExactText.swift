/// A text that equals another one when both have the same bytes.
///
/// Strings are equal that are canonically equivalent: a composed accent and a decomposed one. The
/// identifiers of documents are told apart by their bytes, so where they are keys of a dictionary or
/// members of a set, they are wrapped in this.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Wraps a text.
    package init(_ text: String) { self.text = text }

    /// Whether both have the same bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Feeds the text into the hasher; those that are canonically equivalent share a hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    /// Whether both have the same bytes; what `==` says where one is ASCII alone, and more strict elsewhere.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
