import Foundation
import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

/// What a server said about one operation, in a response of its own or in that to a batch.
struct OperationResponse: Sendable {
    let status: Int
    /// The body; nil when there is none, an error when it is no JSON.
    let content: Result<TableRow, ReplicationError>?
    /// The version that stands beside the body.
    let version: String?
    /// What the server says is wrong, in its own words.
    let sentence: String?
    /// Whether the body is a page for people, which the table itself never sends.
    let isWebPage: Bool
    /// How long the server throttles (`Retry-After`).
    let retryAfter: Duration?
    /// The body as it came, cut; nil where the operation was carried out.
    let body: Data?
    /// Whether the server stores null only where it was sent.
    let storesJSON: Bool

    /// A response to an operation that went by itself.
    init(_ response: FullHTTPResponse) {
        status = response.status
        if response.body.isEmpty {
            content = nil
        } else {
            content = Result { () throws(ReplicationError) in try response.json().row }
        }
        version = EntityTag.version(shownBy: response.head.headerFields[.eTag])
        sentence = (200..<300).contains(response.status) ? nil : response.sentence
        isWebPage = response.isWebPage
        retryAfter = response.retryAfter
        body =
            (200..<300).contains(response.status)
            ? nil : Data(response.body.prefix(RemoteRejection.bodySizeMax))
        storesJSON = response.storesJSON
    }

    /// One of the results in the response to a batch; nil when it is none.
    ///
    /// Shape: `{"status": number, "item": object, "version": string, "error": string}`, of which
    /// only the status is always there.
    init?(_ result: WireJSON, storesJSON: Bool) {
        guard let status = result[BatchMember.status]?.value.integerValue,
            (100..<600).contains(status)
        else { return nil }
        self.status = Int(status)
        content = result[BatchMember.item].map { .success($0.row) }
        version = result[BatchMember.version]?.value.stringValue
        sentence = result[BatchMember.error]?.value.stringValue.flatMap {
            FullHTTPResponse.line(of: $0)
        }
        isWebPage = false
        retryAfter = nil
        // What a request of its own would have been answered with.
        body =
            (200..<300).contains(self.status)
            ? nil : Data(JSONText.text(of: result.value).prefix(RemoteRejection.bodySizeMax))
        self.storesJSON = storesJSON
    }

    /// The item in the body; nil when there is none.
    ///
    /// - Parameters:
    ///   - id: The identifier that it must have.
    ///   - columns: What the table's own columns are called.
    ///   - needsVersion: True to take only what surely is the server's: a version in the item or
    ///     in a strong tag. Some servers answer with the item they were sent.
    /// - Returns: The item.
    func item(_ id: String, _ columns: TableColumns, needsVersion: Bool) -> RemoteItem? {
        guard case .success(let row)? = content,
            let item = RemoteItem(row, columns, storesJSON: storesJSON, tag: version),
            ItemIdentifier(id).isSame(item.id)
        else { return nil }
        return needsVersion && item.version == nil ? nil : item
    }

    /// The identifier of the item in the body, when it differs only in what some servers do not tell
    /// apart.
    func idLike(_ id: String) -> String? {
        guard case .success(let json)? = content,
            let other = json[TableColumns.id]?.stringValue, ItemIdentifier(id).isAlike(other)
        else { return nil }
        return other
    }

    /// Whether the server refuses the version of the protocol, before looking at anything else.
    var isAboutVersion: Bool { status == 400 && FullHTTPResponse.isAboutVersion(sentence) }

    /// The failure that the status stands for when it is not about the item.
    func failure(_ what: String) -> ReplicationError {
        .failure(of: what, status, saying: sentence, retryAfter: retryAfter, body: body)
    }
}
