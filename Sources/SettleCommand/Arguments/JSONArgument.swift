import ArgumentParser
import Settle

/// A JSON value on the command line.
struct JSONArgument: Sendable {
    /// The value.
    let value: JSONValue

    /// Reads a value.
    ///
    /// - Throws: `ValidationError` that tells how to quote when the text is not JSON.
    init(parsing text: String) throws {
        guard let parsed = try? JSONValue(jsonText: text) else {
            throw ValidationError(
                "It is not JSON. A string needs quotes that the shell leaves alone: "
                    + "'\"Paris\"'; an array is written '[\"EU\",\"FR\"]'.")
        }
        value = parsed
    }
}
