import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

/// A table that answers as Azure Mobile Apps for node does, oddities included.
///
/// A duplicate insert is answered with what was sent, a deleted row cannot be seen by its
/// identifier, and a deletion is answered with the row.
final class ModelTable: HTTPTransport {
    private struct Row {
        var columns: [String: JSONValue]
        var version: Int
        var isDeleted = false
        var time: Int
    }

    private struct State {
        var rows: [String: Row] = [:]
        var clock = 0
        var writeCount = 0
        var answersToLose = 0
    }

    private let state = Mutex(State())

    /// How many writes were carried out.
    var writeCount: Int { state.withLock { $0.writeCount } }

    /// The columns that the clients wrote, of the rows that are not deleted.
    var contents: [String: [String: JSONValue]] {
        state.withLock { $0.rows.filter { !$0.value.isDeleted }.mapValues(\.columns) }
    }

    /// Cuts the connection after the next writes, when the work is done.
    func loseAnswers(_ count: Int) {
        state.withLock { $0.answersToLose = count }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let (answer, isLost) = state.withLock { state -> (FullHTTPResponse, Bool) in
            let before = state.writeCount
            let answer = Self.answer(request, body, &state)
            guard state.writeCount > before, state.answersToLose > 0 else { return (answer, false) }
            state.answersToLose -= 1
            return (answer, true)
        }
        if isLost { throw ReplicationError(.unreachable, "The connection was cut.") }
        return answer
    }

    private static func answer(
        _ request: HTTPRequest, _ body: [UInt8]?, _ state: inout State
    ) -> FullHTTPResponse {
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
        let segments = parts[0].split(separator: "/").map {
            String($0).removingPercentEncoding ?? ""
        }
        let query = parts.count > 1 ? String(parts[1]) : ""
        let sent = body.flatMap { try? JSONText.value(from: $0).objectValue } ?? [:]
        if segments.count == 2 {
            return request.method == .get ? list(query, state) : insert(sent, &state)
        }
        let id = segments[2]
        guard var row = state.rows[id], !row.isDeleted || request.method == .post else {
            return .json(404, #"{"error":"The item does not exist"}"#)
        }
        if let match = request.headerFields[.ifMatch], match != tag(row) {
            return shown(412, id, row)
        }
        switch request.method {
        case .patch: row.columns.merge(sent) { $1 }
        case .delete: row.isDeleted = true
        default: row.isDeleted = false
        }
        store(id, row, &state)
        return shown(request.method == .post ? 201 : 200, id, state.rows[id] ?? row)
    }

    private static func insert(_ sent: [String: JSONValue], _ state: inout State)
        -> FullHTTPResponse
    {
        let id = sent["id"]?.stringValue ?? ""
        guard state.rows[id] == nil else {
            return .json(
                409, String(decoding: JSONText.text(of: .object(sent)), as: UTF8.self),
                tag: #"W/"19-hash""#)
        }
        var columns = sent
        columns["id"] = nil
        store(id, Row(columns: columns, version: 0, time: 0), &state)
        return shown(201, id, state.rows[id] ?? Row(columns: [:], version: 0, time: 0))
    }

    private static func store(_ id: String, _ row: Row, _ state: inout State) {
        var row = row
        state.writeCount += 1
        // Two writes share each time, so that times alone do not tell where a page ends.
        state.clock += 1
        row.time = state.clock / 2
        row.version += 1
        state.rows[id] = row
    }

    private static func list(_ query: String, _ state: State) -> FullHTTPResponse {
        var options: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            options[sides[0]] = sides[1].removingPercentEncoding
        }
        let filter = options["$filter"] ?? ""
        let rows = state.rows
            .filter { isMatch($0.key, $0.value, filter) }
            .sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
            .prefix(options["$top"].flatMap { Int($0) } ?? 50)
            .map { columns($0.key, $0.value) }
        return .json(200, String(decoding: JSONText.text(of: .array(rows)), as: UTF8.self))
    }

    /// Understands exactly the filters that the back-end sends.
    private static func isMatch(_ id: String, _ row: Row, _ filter: String) -> Bool {
        func literals(_ before: String) -> [String] {
            filter.components(separatedBy: before).dropFirst().map { rest in
                var text = ""
                var characters = Substring(rest)
                while let character = characters.popFirst() {
                    if character == "'" {
                        guard characters.first == "'" else { break }
                        characters.removeFirst()
                    }
                    text.append(character)
                }
                return text
            }
        }
        if filter.hasPrefix("id eq") { return literals("id eq '") == [id] }
        let channels = Set(literals("c eq '"))
        if !channels.isEmpty {
            let own = row.columns["channels"]?.arrayValue?.compactMap(\.stringValue) ?? []
            if channels.isDisjoint(with: own) { return false }
        }
        guard let after = literals("gt datetimeoffset'").first,
            let afterId = literals("id gt '").first
        else { return true }
        let time = Self.time(row)
        return time > after || (time == after && id > afterId)
    }

    private static func shown(_ status: Int, _ id: String, _ row: Row) -> FullHTTPResponse {
        .json(
            status, String(decoding: JSONText.text(of: columns(id, row)), as: UTF8.self),
            tag: tag(row))
    }

    private static func columns(_ id: String, _ row: Row) -> JSONValue {
        var columns = row.columns
        columns["id"] = .string(id)
        columns["createdAt"] = "2021-01-01T00:00:00.000Z"
        columns["updatedAt"] = .string(time(row))
        columns["version"] = .string("v\"\(row.version)")
        columns["deleted"] = .bool(row.isDeleted)
        return .object(columns)
    }

    private static func tag(_ row: Row) -> String { #""v\""# + "\(row.version)\"" }

    private static func time(_ row: Row) -> String {
        let text = String(row.time)
        return "2021-01-01T00:00:00." + String(repeating: "0", count: 6 - text.count) + text + "Z"
    }
}
