import ArgumentParser
import Settle

/// Which documents have rows in an index, as JSON on the command line.
struct FilterArgument: Sendable {
    /// The filter.
    let filter: Database.IndexFilter

    /// Reads a filter.
    ///
    /// - Throws: `ValidationError` that names the member that is wrong.
    init(parsing text: String) throws {
        let json = try JSONArgument(parsing: text).value
        do {
            filter = try Database.IndexFilter(json: json)
        } catch {
            throw ValidationError(FailureText.sentence(for: error))
        }
    }
}
