import ArgumentParser
import Settle

/// A claim of a token on the command line: `name=text`, or `name:=json`.
struct ClaimArgument: Sendable, Equatable {
    let name: String
    let value: JSONValue

    /// Reads a claim.
    ///
    /// - Throws: `ValidationError` when the text is no claim, or one that has an option of its own.
    init(parsing text: String) throws {
        guard let place = text.firstIndex(of: "="), place > text.startIndex else {
            throw ValidationError(
                "It is no claim. Write name=text, or name:=json for what is no string: "
                    + "'roles:=[\"driver\"]'.")
        }
        let value = String(text[text.index(after: place)...])
        let isJSON = text[text.index(before: place)] == ":"
        let name = String(isJSON ? text[..<place].dropLast() : text[..<place])
        guard !name.isEmpty, !["sub", "exp", "channels"].contains(name) else {
            throw ValidationError(
                "The claim '\(name)' is not set by --claim; there are --subject, --expires-in and "
                    + "--channel.")
        }
        self.name = name
        self.value = isJSON ? try JSONArgument(parsing: value).value : .string(value)
    }
}
