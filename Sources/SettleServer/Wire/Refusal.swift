import HTTPTypes
import Settle

/// An answer that says no: a status, a sentence, and for a conflict the server's item.
struct Refusal: Error, Sendable, Equatable {
    var status: HTTPResponse.Status
    /// What happened and what to do; it holds nothing of a document.
    var message: String
    /// The item that stands in the way; when there is one it is the body of the answer.
    var item: TableItem?
    var headers: HTTPFields

    init(
        _ status: HTTPResponse.Status, _ message: String, item: TableItem? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.message = message
        self.item = item
        self.headers = headers
    }

    /// The refusal of an item that is not there, or not for these eyes.
    static let missing = Refusal(.notFound, "The item does not exist.")

    /// The body that is sent.
    ///
    /// Shape: the item in its usual form, or `{"error": sentence, "status": number}`.
    var json: JSONValue {
        if let item { return item.json() }
        return ["error": .string(message), "status": .integer(Int64(status.code))]
    }
}
