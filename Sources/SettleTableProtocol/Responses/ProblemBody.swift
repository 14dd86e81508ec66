package import SettleDocuments

/// The body of a response that says no.
///
/// Shape: `{"type": "about:blank", "title": the status in words, "status": number, "detail": sentence,
/// "error": sentence}` and more members. Clients of version 2 read `error`.
///
/// > Source: RFC 9457.
package struct ProblemBody: Sendable, Equatable {
    /// The status as a number.
    package let status: Int
    /// The status in words.
    package let title: String
    /// What is wrong, in a sentence.
    package let sentence: String
    /// More members, such as the place of a fault.
    package let details: [String: JSONValue]

    /// A body.
    package init(
        status: Int, title: String, sentence: String, details: [String: JSONValue] = [:]
    ) {
        self.status = status
        self.title = title
        self.sentence = sentence
        self.details = details
    }

    /// The body as JSON.
    package var json: JSONValue {
        .object(
            details.merging([
                "type": "about:blank", "title": .string(title), "status": .integer(Int64(status)),
                "detail": .string(sentence), "error": .string(sentence),
            ]) { $1 })
    }

    /// What a server says is wrong, ours or another; nil when it says nothing.
    ///
    /// > Source: the official clients look for a JSON string, then `error`, then `description`;
    /// > the .NET server says `message`, and newer ones `title` and `detail` (RFC 9457).
    package static func sentence(in json: JSONValue) -> String? {
        if case .string(let text) = json { return text }
        return ["error", "message", "description", "detail", "title"].lazy
            .compactMap { json[$0]?.stringValue }.first
    }
}
