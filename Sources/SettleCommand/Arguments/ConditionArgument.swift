import ArgumentParser
import SettleREST
import SettleSync

/// Which rows of a table, as a condition of OData on the command line.
struct ConditionArgument: Sendable, Equatable {
    /// The condition, in the server's words.
    let predicate: ODataPredicate

    /// Reads a condition.
    ///
    /// - Throws: `ValidationError` when the text cannot be one.
    init(parsing text: String) throws {
        predicate = ODataPredicate(verbatim: text)
        do {
            _ = try predicate.text(for: .v3)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
