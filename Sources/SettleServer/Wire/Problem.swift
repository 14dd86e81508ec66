package import HTTPTypes
package import Settle
import SettleTableProtocol

/// An answer that says no: a status, a sentence, and for a conflict the server's item.
package struct Problem: Error, Sendable, Equatable {
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

    /// The problem for an item that is not there, or not for these eyes.
    package static let missing = Problem(.notFound, "The item does not exist.")

    /// The problem for an item that is deleted, as if it were not there.
    package static let deleted = Problem.missing.ofDeletedItem

    /// The problem for a change to an item that is deleted.
    package static func deleted(_ item: TableItem, _ status: HTTPResponse.Status) -> Problem {
        Problem(status, "The item was deleted; undelete it before changing it.", item: item)
            .ofDeletedItem
    }

    private var ofDeletedItem: Problem {
        var problem = self
        problem.isOfDeletedItem = true
        return problem
    }

    /// The problem for content that is not what its digest says.
    package static let contentDiffers = Problem(
        .unprocessableContent,
        "The content has another SHA-256 than the path names; it was changed or cut on the way, so "
            + "send it again.")

    /// The problem for one table too many.
    package static func tooManyTables(_ countMax: Int) -> Problem {
        Problem(
            .forbidden, "There are \(countMax) tables already, which is this server's limit.")
    }

    /// The problem for an item that is larger than any store takes.
    package static let itemTooLarge = Problem(
        .contentTooLarge,
        "The item would be larger than \(TableItem.bytesMax >> 20) MiB; make attachments of its large "
            + "parts.")

    /// The problem for an item in more channels than its readers can be asked to look at.
    package static let tooManyChannels = Problem(
        .badRequest, "An item may be in at most \(TableItem.channelCountMax) channels.")

    /// The problem for the rest of a batch whose answer is long enough.
    package static let tooMuch = Problem(
        .contentTooLarge,
        "The answer to the batch is long enough already; send this operation in another.")

    /// The problem for everything by a server that is stopping.
    package static let stopping = Problem(
        .serviceUnavailable, "The server is stopping; try again later.")

    /// The problem with something that was sent.
    init(_ fault: TableFault) {
        self.init(.badRequest, fault.message)
    }

    /// The body that is sent when there is no item.
    var problem: JSONValue {
        ProblemBody(
            status: status.code, title: status.reasonPhrase, sentence: message, details: details
        ).json
    }
}
