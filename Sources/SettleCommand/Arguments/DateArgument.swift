import ArgumentParser
import Foundation
import Settle

/// A date on the command line: `2026-12-24T18:00:00Z`, or a day for its beginning in UTC.
struct DateArgument: Sendable, Equatable {
    /// The date.
    let date: Date

    /// Reads a date.
    ///
    /// - Throws: `ValidationError` when the text is no date.
    init(parsing text: String) throws {
        let formatter = ISO8601DocumentDateFormatter()
        guard let date = formatter.date(from: text) ?? formatter.date(from: text + "T00:00:00Z")
        else {
            throw ValidationError(
                "It is no date. Write 2026-12-24T18:00:00Z, with an offset as in "
                    + "2026-12-24T19:00:00+01:00, or a day alone for its beginning in UTC.")
        }
        self.date = date
    }

    /// A date as the tool writes it, in UTC.
    static func text(of date: Date) -> String {
        ISO8601DocumentDateFormatter().string(from: date)
    }
}
