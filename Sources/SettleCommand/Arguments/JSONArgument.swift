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
        // A document is the public way in for JSON text; the array keeps a text such as
        // `1}, {"a": 2` from being taken apart.
        let wrapped = "{\"value\":[\(text)\n]}"
        guard let document = try? Document(json: wrapped), document.count == 1,
            case .array(let elements)? = document[json: "value"], elements.count == 1
        else {
            throw ValidationError(
                "'\(text)' is not JSON. A string needs quotes that the shell leaves alone: "
                    + "'\"Paris\"'; an array is written '[\"EU\",\"FR\"]'.")
        }
        value = elements[0]
    }
}
