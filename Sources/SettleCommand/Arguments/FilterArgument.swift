import ArgumentParser
import Settle

/// Which documents have rows in an index, as JSON on the command line.
struct FilterArgument: Sendable {
    /// The filter.
    let filter: Database.IndexFilter

    /// Reads a filter.
    ///
    /// - Throws: `ValidationError` that says where the text is no JSON, or names the member that is
    ///   wrong.
    init(parsing text: String) throws {
        do {
            filter = try Database.IndexFilter(json: JSONValue(jsonText: text))
        } catch let error as JSONError {
            throw ValidationError(
                "That is no JSON: \(error.description) A filter is an object between single quotes, "
                    + "such as '{\"type\":\"order\"}'.")
        } catch {
            throw ValidationError(FailureText.sentence(for: error))
        }
    }
}
