import ArgumentParser
import SettleREST
import SettleSync

/// By which column the rows of a table are sorted: `population`, `population asc`, `population desc`.
struct OrderArgument: Sendable, Equatable {
    /// The column and the direction.
    let order: ODataOrder

    /// Reads a column, with or without a direction.
    ///
    /// - Throws: `ValidationError` when the text is none.
    init(parsing text: String) throws {
        let words = text.split(separator: " ")
        guard let column = words.first, words.count <= 2,
            words.count == 1 || ["asc", "desc"].contains(words[1])
        else {
            throw ValidationError(
                "It is no column to sort by. Write its name, or 'NAME desc' for the largest "
                    + "first.")
        }
        let expression = ODataPredicate.field(String(column))
        order = words.last == "desc" ? .descending(expression) : .ascending(expression)
        do {
            _ = try order.text(for: .v3)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
