import HTTPTypes
import Settle
import SettleREST
import SettleSync

/// A table with certain columns and no others: what is written with another one is refused, as servers
/// over a database with a schema do.
struct StrictColumns: HTTPTransport {
    let names: Set<String>
    let base: any HTTPTransport

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        guard request.method != .get, let body,
            case .object(let members)? = try? JSONValue(
                jsonText: String(decoding: body, as: UTF8.self))
        else { return try await base.send(request, body: body, bodySizeMax: bodySizeMax) }
        var items = [members]
        for operation in members["operations"]?.arrayValue ?? [] {
            items.append(operation["item"]?.objectValue ?? [:])
        }
        let columns = names.union(["id", "version", "operations"])
        for name in items.flatMap(\.keys) where !columns.contains(name) {
            return FullHTTPResponse(
                head: HTTPResponse(status: .badRequest),
                body: Array(#"{"error":"There is no column '\#(name)'."}"#.utf8))
        }
        return try await base.send(request, body: body, bodySizeMax: bodySizeMax)
    }
}
