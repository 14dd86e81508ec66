import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The bytes of requests to a server of tables.
enum Requests {
    private static let fields =
        "Host: 127.0.0.1\r\nZUMO-API-VERSION: 2.0.0\r\nAccept: application/json\r\n"

    /// A GET of a path with its query.
    static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\n\(fields)\r\n".utf8)
    }

    /// A request with a JSON body, and with further fields, each with its end of line.
    static func send(
        _ method: String, _ path: String, _ body: [UInt8], fields further: String = ""
    ) -> [UInt8] {
        let head =
            "\(method) \(path) HTTP/1.1\r\n\(fields)\(further)Content-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// A document as a table takes it: `createdAt` is a column of the server's own.
    static func item(_ text: [UInt8]) -> [UInt8] {
        Array(String(decoding: text, as: UTF8.self).replacing("createdAt", with: "madeAt").utf8)
    }

    /// A page of 50 of what was changed behind a time, as a pull asks for it.
    static func page(of table: String, after time: String) -> [UInt8] {
        get("/tables/\(table)?" + pageQuery(after: time))
    }

    /// The query of such a page.
    static func pageQuery(after time: String) -> String {
        let filter = "updatedAt%20gt%20datetimeoffset'\(time.replacing(":", with: "%3A"))'"
        return "$filter=\(filter)&$orderby=updatedAt,id&$top=50&__includeDeleted=true"
    }
}

/// What a case asks of a server to check it and to know where to begin.
struct TableClient {
    let server: RunningServer
    let table: String

    /// The JSON that a list gives.
    func list(_ query: String) async throws -> Any {
        guard let url = URL(string: "http://127.0.0.1:\(server.port)/tables/\(table)?\(query)")
        else { throw BenchmarkError("A request has no address.") }
        var request = URLRequest(url: url)
        request.setValue("2.0.0", forHTTPHeaderField: "ZUMO-API-VERSION")
        let (data, _) = try await URLSession.shared.data(for: request)
        return try JSONSerialization.jsonObject(with: data)
    }

    /// The number of items.
    func count() async throws -> Int {
        let answer = try await list("$top=0&$inlinecount=allpages") as? [String: Any]
        guard let count = answer?["count"] as? Int else {
            throw BenchmarkError("The server did not count its items.")
        }
        return count
    }

    /// Times that pages begin behind, spread over the table.
    func times() async throws -> [String] {
        var times = ["1970-01-01T00:00:00.000Z"]
        while times.count < 64 {
            let query = Requests.pageQuery(after: times[times.count - 1])
            let page = try await list(query) as? [[String: Any]]
            guard let page, page.count == 50, let time = page.last?["updatedAt"] as? String else {
                break
            }
            times.append(time)
        }
        // The last may begin too near to the end for a whole page.
        return Array(times.dropLast())
    }
}
