/// What came of asking for a line.
enum TypedLine: Sendable, Equatable {
    /// A line without its end.
    case text(String)
    /// The line was given up.
    case cancelled
    /// There are no more lines.
    case end
}

/// What becomes of the word before the cursor.
enum LineCompletion: Sendable, Equatable {
    /// Nothing fits.
    case none
    /// A text takes the place of so many characters (scalars of Unicode) before the cursor.
    case replacement(count: Int, text: String)
    /// There are several words, which begin in the same way.
    case list([String])
}
