import ArgumentParser

/// A parameter of a request: `name=value`.
struct ParameterArgument: Sendable, Equatable {
    let name: String
    let value: String

    /// Reads a parameter.
    ///
    /// - Throws: `ValidationError` when the text has no name.
    init(parsing text: String) throws {
        guard let place = text.firstIndex(of: "="), place > text.startIndex else {
            throw ValidationError("It is no parameter. Write name=value.")
        }
        name = String(text[..<place])
        value = String(text[text.index(after: place)...])
    }
}
