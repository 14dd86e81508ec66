import Foundation
import Settle

/// What a model table has that cannot be a document.
enum WrongRows {
    /// Identifiers that no document may have.
    static let ids = ["_hidden", "", String(repeating: "x", count: 300)]
    /// The column that makes a row wrong.
    static let column = "wrong"

    /// Values of the column, each standing for a text that is no sound value.
    private static let texts: [(value: String, text: String)] = [
        ("wrong 0", "1e400"), ("wrong 1", #""\ud800""#), ("wrong 2", #"{"a":1,"a":2}"#),
        ("wrong 3", "NaN"),
        (
            "wrong 4",
            String(repeating: "[", count: 520) + String(repeating: "]", count: 520)
        ),
    ]

    /// A value by chance.
    static func value(_ draw: UInt64) -> JSONValue {
        .string(texts[Int(draw % UInt64(texts.count))].value)
    }

    /// A text with the unsound texts in the places of the values that stand for them.
    static func spoiled(_ text: String) -> String {
        guard text.contains("\"wrong ") else { return text }
        return texts.reduce(text) { text, wrong in
            text.replacingOccurrences(of: "\"\(wrong.value)\"", with: wrong.text)
        }
    }
}
