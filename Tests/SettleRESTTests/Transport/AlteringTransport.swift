import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

/// The way to a table that shows its items otherwise than they are stored.
final class AlteringTransport: HTTPTransport {
    private let table: any HTTPTransport
    private let storesJSON: Bool
    /// What an item looks like in the answer to a request.
    private let alter: @Sendable (HTTPRequest, [String: JSONValue]) -> [String: JSONValue]?
    private let asked = Mutex<[String]>([])

    /// The requests, without what they carry.
    var lines: [String] { asked.withLock { $0 } }

    /// - Parameters:
    ///   - table: The table.
    ///   - storesJSON: Whether answers say that they are from `settle serve`.
    ///   - alter: What an item looks like; nil when it is not shown.
    init(
        to table: any HTTPTransport, storesJSON: Bool = false,
        _ alter: @escaping @Sendable (HTTPRequest, [String: JSONValue]) -> [String: JSONValue]? = {
            $1
        }
    ) {
        self.table = table
        self.storesJSON = storesJSON
        self.alter = alter
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        asked.withLock { $0.append("\(request.method.rawValue) \(request.path ?? "")") }
        var answer = try await table.send(request, body: body, bodySizeMax: bodySizeMax)
        if storesJSON, let name = HTTPField.Name("x-zumo-server-version") {
            answer.head.headerFields[name] = "settle-1"
        }
        guard let shown = try? JSONText.value(from: answer.body) else { return answer }
        if let rows = shown.arrayValue {
            answer.body = JSONText.text(
                of: .array(
                    rows.compactMap { $0.objectValue.flatMap(altered).map(JSONValue.object) }))
        } else if let row = shown.objectValue, row["id"] != nil {
            answer.body = JSONText.text(of: .object(alter(request, row) ?? [:]))
        }
        return answer

        func altered(_ row: [String: JSONValue]) -> [String: JSONValue]? { alter(request, row) }
    }
}
