import HTTPTypes
import Settle
import SettleOData
public import SettleSync
import SettleTableProtocol

// The route of `settle serve`; Docs/Formats/AzureTables.md.

extension AzureTablesBackend {
    /// Waits for a change by long polling, where the server announces that it has it.
    ///
    /// It begins behind the last row that was pulled. As long as no pull goes on from there, it goes on
    /// where its last response ended.
    public func awaitChange(
        _ query: PullQuery, after token: PullToken?, since cursor: String?
    ) async throws(ReplicationError) -> LiveChange? {
        guard memory.features?.contains(.changes) ?? false, let dialect = memory.dialect else {
            return nil
        }
        let last = token.flatMap { TablePosition($0) }?.last.time.text ?? "0"
        let heard = cursor.flatMap { ChangesCursor($0) }.flatMap { $0.last == last ? $0 : nil }
        var parameters = [
            QueryParameter(.since, heard?.place ?? last),
            QueryParameter(.wait, "\(listeningSeconds)"), QueryParameter(.top, "1"),
        ]
        let conditions = conditions(of: query)
        if !conditions.isEmpty {
            let filter = try ODataNode.conjunction(conditions).text(
                for: dialect.odata, levelsAround: ODataFilter.levelsMax)
            parameters.append(QueryParameter(.filter, filter))
        }
        let response = try await exchange(
            dialect, .get, address.path(ofItem: "changes", query: parameters + givenParameters),
            fields: [.prefer: Self.reportingRemovals], body: nil,
            answerSizeMax: RESTTuning.answerSizeMax)
        memory.keepFeatures(of: response)
        switch response.status {
        case 200: break
        case 400, 404, 405, 501:
            if !response.isWebPage { memory.refuse(.changes) }
            return nil
        default: throw response.failure("wait for changes")
        }
        let json = try response.json()
        guard let items = json["items"]?.value.arrayValue,
            let place = json["token"]?.value.stringValue, !place.isEmpty
        else {
            throw ReplicationError(
                .protocolViolation,
                "The server was asked for changes and answered with something else.")
        }
        return LiveChange(
            isChanged: !items.isEmpty, cursor: ChangesCursor(place: place, last: last).text)
    }
}

/// How far one who listens has heard.
private struct ChangesCursor {
    /// The server's own words.
    let place: String
    /// The time of the row that was pulled last by then.
    let last: String

    init(place: String, last: String) {
        self.place = place
        self.last = last
    }

    /// Reads what ``text`` wrote; nil when it is something else.
    init?(_ text: String) {
        guard let bar = text.firstIndex(of: "|") else { return nil }
        self.init(place: String(text[text.index(after: bar)...]), last: String(text[..<bar]))
    }

    var text: String { "\(last)|\(place)" }
}
