import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

/// A request to a database of CouchDB's protocol.
struct DatabaseRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path behind that of the database, each part encoded: empty, or with a slash at its beginning.
    var path = ""
    var query: [QueryParameter] = []
    /// The body, which is JSON; nil for none.
    var body: [UInt8]?
    /// The body in the place of JSON; nil for none.
    var parts: MultipartBody?
    /// The bytes that are wanted of the answer, as a header has them; nil for all.
    var range: String?
    /// What the answer may be; CouchDB answers some requests in parts unless it is told not to.
    var accepted = "application/json"
    /// The most bytes that the answer may have.
    var answerSizeMax = RESTTuning.answerSizeMax

    /// The path and the query as they stand in a request.
    func target(in address: CouchAddress) -> String {
        let text = address.path + path
        return query.isEmpty ? text : text + "?" + query.map(\.text).joined(separator: "&")
    }
}

extension DatabaseRequest {
    /// What the database says of itself.
    static let information = DatabaseRequest(method: .get)
    /// Makes the database.
    static let creation = DatabaseRequest(method: .put)
    /// Has all that was answered stored durably.
    static let commit = DatabaseRequest(method: .post, path: "/_ensure_full_commit", body: [])

    /// Reads a log.
    static func log(_ name: String) -> DatabaseRequest {
        DatabaseRequest(method: .get, path: "/_local/\(PercentEncoding.encoded(name))")
    }

    /// Writes a log.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - name: Its name.
    ///   - revision: What the database calls the one that it replaces; nil when there is none.
    /// - Returns: The request.
    static func setLog(_ log: JSONValue, _ name: String, _ revision: String?) -> DatabaseRequest {
        var members = log.objectValue ?? [:]
        if let revision { members["_rev"] = .string(revision) }
        return DatabaseRequest(
            method: .put, path: "/_local/\(PercentEncoding.encoded(name))",
            body: JSONText.text(of: .object(members)))
    }

    /// Reads a page of changes, with all leaves.
    static func changes(
        _ selection: CouchSelection, after sequence: JSONValue?, limit: Int
    ) -> DatabaseRequest {
        var request = feed(selection, "normal", after: sequence)
        request.query.append(QueryParameter("limit", "\(limit)"))
        return request
    }

    /// Waits for a change.
    static func awaitedChange(
        _ selection: CouchSelection, after sequence: JSONValue?, seconds: Int
    ) -> DatabaseRequest {
        var request = feed(selection, "longpoll", after: sequence)
        request.query += [
            QueryParameter("limit", "1"), QueryParameter("timeout", "\(seconds * 1_000)"),
        ]
        return request
    }

    private static func feed(
        _ selection: CouchSelection, _ feed: String, after sequence: JSONValue?
    ) -> DatabaseRequest {
        let body = selection.body.map { JSONText.text(of: $0) }
        return DatabaseRequest(
            method: body == nil ? .get : .post, path: "/_changes",
            query: [
                QueryParameter("feed", feed), QueryParameter("style", "all_docs"),
                QueryParameter("since", text(ofSequence: sequence)),
            ] + selection.parameters, body: body)
    }

    /// A sequence as a parameter: old servers have numbers, clusters of some kinds arrays.
    private static func text(ofSequence sequence: JSONValue?) -> String {
        switch sequence {
        case nil, .null?: "0"
        case .string(let text)?: text
        case let other?: String(decoding: JSONText.text(of: other), as: UTF8.self)
        }
    }

    /// Asks which of some revisions are missing.
    static func difference(_ revisions: [String: [String]]) -> DatabaseRequest {
        // Thousands of members, whose order says nothing.
        var body: [UInt8] = []
        for (id, names) in revisions {
            body.append(UInt8(ascii: body.isEmpty ? "{" : ","))
            JSONText.append(id, to: &body)
            body.append(UInt8(ascii: ":"))
            JSONText.append(.array(names.map { .string($0) }), to: &body)
        }
        if body.isEmpty { body.append(UInt8(ascii: "{")) }
        body.append(UInt8(ascii: "}"))
        return DatabaseRequest(method: .post, path: "/_revs_diff", body: body)
    }

    /// Reads many revisions, or newer ones in their place, with what came before them.
    static func bulkGet(_ wanted: [WantedRevisions]) -> DatabaseRequest {
        let listed = wanted.flatMap { wanted in
            wanted.revisions.map { revision -> JSONValue in
                ["id": .string(wanted.id), "rev": .string(revision)]
            }
        }
        return DatabaseRequest(
            method: .post, path: "/_bulk_get",
            query: [QueryParameter("revs", "true"), QueryParameter("latest", "true")],
            body: JSONText.text(of: ["docs": .array(listed)]))
    }

    /// Reads revisions of one document, where ``bulkGet(_:)`` is not known; without names all leaves.
    static func openRevisions(_ wanted: WantedRevisions) -> DatabaseRequest {
        DatabaseRequest(
            method: .get, path: path(of: wanted.id),
            query: [
                QueryParameter("revs", "true"), QueryParameter("latest", "true"),
                wanted.revisions.isEmpty
                    ? QueryParameter("open_revs", "all") : list("open_revs", wanted.revisions),
            ])
    }

    /// Reads a revision with the contents of its attachments, but for those that came with revisions that are here.
    static func revisionInParts(
        _ id: String, _ revision: String, having known: [String]
    ) -> DatabaseRequest {
        var query = [
            QueryParameter("revs", "true"), list("open_revs", [revision]),
            QueryParameter("attachments", "true"),
        ]
        if !known.isEmpty { query.append(list("atts_since", known)) }
        return DatabaseRequest(
            method: .get, path: path(of: id), query: query, accepted: "multipart/mixed",
            answerSizeMax: 2 * RESTTuning.downloadSizeMax)
    }

    private static func list(_ name: String, _ revisions: [String]) -> QueryParameter {
        let list = JSONValue.array(revisions.map { .string($0) })
        return QueryParameter(name, String(decoding: JSONText.text(of: list), as: UTF8.self))
    }

    /// Reads the content of an attachment, or some bytes of it.
    static func content(
        _ name: String, of id: String, _ revision: String, range: ClosedRange<Int>? = nil
    ) -> DatabaseRequest {
        DatabaseRequest(
            method: .get, path: path(of: id) + "/" + PercentEncoding.encoded(name),
            query: [QueryParameter("rev", revision)],
            range: range.map { "bytes=\($0.lowerBound)-\($0.upperBound)" }, accepted: "*/*",
            answerSizeMax: RESTTuning.uploadSizeMax)
    }

    /// Writes revisions as they are.
    ///
    /// - Parameter documents: The texts of documents, with their revisions.
    /// - Returns: The request.
    static func bulkDocuments(_ documents: some Sequence<[UInt8]>) -> DatabaseRequest {
        var body = Array("{\"new_edits\":false,\"docs\":[".utf8)
        for (place, document) in documents.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            body += document
        }
        return DatabaseRequest(
            method: .post, path: "/_bulk_docs", body: body + Array("]}".utf8))
    }

    /// Writes a revision as it is, with contents behind it.
    static func documentInParts(_ id: String, _ parts: MultipartBody) -> DatabaseRequest {
        DatabaseRequest(
            method: .put, path: path(of: id), query: [QueryParameter("new_edits", "false")],
            parts: parts)
    }

    private static func path(of id: String) -> String { "/" + PercentEncoding.encoded(id) }
}
