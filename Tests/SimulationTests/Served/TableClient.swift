import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync

/// A client of the table protocol that knows nothing of replication.
struct TableClient: Sendable {
    /// The version that it speaks.
    enum Version: String, CaseIterable {
        case version2 = "2.0.0"
        case version3 = "3.0.0"
    }

    /// A row as a client has it.
    struct Row: Sendable {
        var version: String
        var isDeleted: Bool
        var columns: [String: JSONValue]

        /// Reads a row; nil when it is none.
        init?(_ json: JSONValue) {
            guard let columns = json.objectValue, let version = columns["version"]?.stringValue,
                let isDeleted = columns["deleted"]?.boolValue
            else { return nil }
            self.version = version
            self.isDeleted = isDeleted
            self.columns = TableClient.columns(of: columns)
        }
    }

    /// What the server said that a client does not understand.
    struct Surprise: Error, CustomStringConvertible {
        let description: String

        init(_ answer: FullHTTPResponse, to line: String) {
            let text = String(decoding: answer.body, as: UTF8.self)
            description = "\(line) was answered \(answer.head.status.code) \(text)"
        }
    }

    private static let systemNames: Set = ["id", "createdAt", "updatedAt", "version", "deleted"]

    /// The columns of an item without those of the server.
    static func columns(of item: [String: JSONValue]) -> [String: JSONValue] {
        item.filter { !systemNames.contains($0.key) }
    }

    let version: Version
    /// The table's name.
    let name: String
    /// How many rows of a list are asked for at once, where that can be said.
    let pageSize: Int
    /// The way to the server.
    let send: @Sendable (HTTPRequest, [UInt8]?) async throws(ReplicationError) -> FullHTTPResponse

    /// The address of a row.
    func path(_ id: String) -> String { "/tables/\(name)/\(Self.encoded(id))" }

    /// The address of the table.
    var path: String { "/tables/\(name)" }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        ifMatch version: String? = nil
    ) async throws -> FullHTTPResponse {
        var fields: HTTPFields = [.accept: "application/json"]
        if let name = HTTPField.Name("ZUMO-API-VERSION") { fields[name] = self.version.rawValue }
        if let name = HTTPField.Name("X-ZUMO-Options") { fields[name] = "nextLink=path" }
        if body != nil { fields[.contentType] = "application/json" }
        fields[.ifMatch] = version.map {
            "\"" + $0.replacingOccurrences(of: "\"", with: "\\\"") + "\""
        }
        return try await send(
            HTTPRequest(
                method: method, scheme: "http", authority: "h", path: path, headerFields: fields),
            body.map { JSONText.text(of: $0) })
    }

    /// The row with an identifier, deleted or not; nil when there is none.
    func row(_ id: String) async throws -> Row? {
        let filter = Self.encoded("id eq '\(id.replacingOccurrences(of: "'", with: "''"))'")
        return try await rows("\(path)?$filter=\(filter)&__includeDeleted=true").first?.1
    }

    /// All that the table has, page by page.
    func contents() async throws -> TableContents {
        var contents = TableContents()
        // In version 3 it would be the number of all rows.
        let top = version == .version2 ? "&$top=\(pageSize)" : ""
        for (id, row) in try await rows("\(path)?$orderby=id&__includeDeleted=true\(top)") {
            let isNew = contents.live[id] == nil && contents.deleted[id] == nil
            guard isNew else {
                throw Surprise(
                    FullHTTPResponse(head: HTTPResponse(status: .ok)),
                    to: "The list, which has '\(id)' twice,")
            }
            let columns = row.columns.filter { !$0.value.isNull }
            if row.isDeleted { contents.deleted[id] = columns } else { contents.live[id] = columns }
        }
        return contents
    }

    /// The rows of a list, which is followed to its end.
    private func rows(_ first: String) async throws -> [(String, Row)] {
        var rows: [(String, Row)] = []
        var next: String? = first
        while let path = next {
            let answer = try await send(.get, path)
            let json = try? JSONText.value(from: answer.body)
            guard answer.head.status.code == 200,
                let page = json?["items"]?.arrayValue ?? json?.arrayValue
            else { throw Surprise(answer, to: path) }
            for item in page {
                guard let id = item["id"]?.stringValue, let row = Row(item) else {
                    throw Surprise(answer, to: path)
                }
                rows.append((id, row))
            }
            next = json?["nextLink"]?.stringValue ?? Self.link(in: answer)
            if page.isEmpty, next != nil { throw Surprise(answer, to: path) }
        }
        return rows
    }

    /// Where the next page is, in the words of version 2.
    private static func link(in answer: FullHTTPResponse) -> String? {
        guard let name = HTTPField.Name("Link"), let link = answer.head.headerFields[name]
        else { return nil }
        return link.components(separatedBy: ";").first
    }
}
