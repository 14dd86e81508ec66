package import HTTPTypes
package import Settle

/// An answer that says no: a status, a sentence, and for a conflict the server's item.
package struct Refusal: Error, Sendable, Equatable {
    package var status: HTTPResponse.Status
    /// What happened and what to do; it holds nothing of a document.
    package var message: String
    /// The item that stands in the way; when there is one it is the body of the answer.
    package var item: TableItem?
    package var headers: HTTPFields
    /// More members of the body, such as the place of a fault.
    package var details: [String: JSONValue] = [:]
    /// True when the item is there, deleted; what that means is the dialect's matter.
    package var isOfDeletedItem = false

    package init(
        _ status: HTTPResponse.Status, _ message: String, item: TableItem? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.message = message
        self.item = item
        self.headers = headers
    }

    /// The refusal of an item that is not there, or not for these eyes.
    package static let missing = Refusal(.notFound, "The item does not exist.")

    /// The refusal of an item that is deleted, as if it were not there.
    package static let deleted = Refusal.missing.ofDeletedItem

    /// The refusal of a change to an item that is deleted.
    package static func deleted(_ item: TableItem, _ status: HTTPResponse.Status) -> Refusal {
        Refusal(status, "The item was deleted; undelete it before changing it.", item: item)
            .ofDeletedItem
    }

    private var ofDeletedItem: Refusal {
        var refusal = self
        refusal.isOfDeletedItem = true
        return refusal
    }

    /// The refusal of content that is not what its digest says.
    package static let contentDiffers = Refusal(
        .unprocessableContent,
        "The content has another SHA-256 than the path names; it was changed or cut on the way, so "
            + "send it again.")

    /// The refusal of one table too many.
    package static func tooManyTables(_ countMax: Int) -> Refusal {
        Refusal(
            .forbidden, "There are \(countMax) tables already, which is this server's limit.")
    }

    /// The refusal of an item that is larger than any store takes.
    package static let itemTooLarge = Refusal(
        .contentTooLarge,
        "The item would be larger than \(TableItem.bytesMax >> 20) MiB; make attachments of its large "
            + "parts.")

    /// The refusal of an item in more channels than its readers can be asked to look at.
    package static let tooManyChannels = Refusal(
        .badRequest, "An item may be in at most \(TableItem.channelCountMax) channels.")

    /// The refusal of the rest of a batch whose answer is long enough.
    package static let tooMuch = Refusal(
        .contentTooLarge,
        "The answer to the batch is long enough already; send this operation in another.")

    /// The refusal of everything by a server that is stopping.
    package static let stopping = Refusal(
        .serviceUnavailable, "The server is stopping; try again later.")

    /// The body that is sent when there is no item.
    ///
    /// Shape: `{"type": "about:blank", "title": the status in words, "status": number, "detail":
    /// sentence, "error": sentence}` and the details. Clients of version 2 read `error`.
    ///
    /// > Source: RFC 9457.
    var problem: JSONValue {
        .object(
            details.merging([
                "type": "about:blank", "title": .string(status.reasonPhrase),
                "status": .integer(Int64(status.code)), "detail": .string(message),
                "error": .string(message),
            ]) { $1 })
    }
}
