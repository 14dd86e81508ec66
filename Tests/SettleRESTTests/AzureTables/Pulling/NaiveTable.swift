import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

/// A table in memory that answers lists, and does nothing cleverly.
///
/// Its clock, the moments at which rows come into sight and how many digits of a time it shows can
/// be chosen, and something can happen before each answer.
final class NaiveTable: HTTPTransport {
    /// A row; the same identifier may have several states, of which the newest committed counts.
    struct Row: Sendable {
        var id: String
        /// Nanoseconds since 1970.
        var time: Int64
        var version: Int
        /// The true time at which it comes into sight, in nanoseconds.
        var committed: Int64
        var isDeleted = false
    }

    /// How the server speaks.
    struct Manner: Sendable {
        var isNew = false
        var shownDigits = 3
        var storedDigits = 3
        var dropsZeros = false
        var pageSizeMax = 1_000
        var counts = true
        var tellsTime = true
        var extra = ""
    }

    struct State: Sendable {
        var rows: [Row] = []
        /// The true time, in nanoseconds.
        var time: Int64 = 1_700_000_000_000_000_000
        /// How much the server's clock is ahead of the true time.
        var lead: Int64 = 0
        var versionCount = 0
        /// Rows that only an identifier brings into sight.
        var hidden: Set<String> = []
        var asked: [String] = []
        /// How many bytes each request had, and each answer.
        var sizes: [[Int]] = []

        /// Writes a row now, or so that it is committed later.
        mutating func write(
            _ id: String, digits: Int, committedAfter delay: Int64 = 0, isDeleted: Bool = false
        ) {
            versionCount += 1
            let unit = (digits..<9).reduce(Int64(1)) { unit, _ in unit * 10 }
            rows.append(
                Row(
                    id: id, time: (time + lead) / unit * unit, version: versionCount,
                    committed: time + delay, isDeleted: isDeleted))
        }

        /// The newest committed state of each row.
        var visible: [String: Row] {
            rows.filter { $0.committed <= time }.reduce(into: [:]) { newest, row in
                if let other = newest[row.id], other.version > row.version { return }
                newest[row.id] = row
            }
        }
    }

    let manner: Manner
    private let state: Mutex<State>
    private let happening: @Sendable (inout State) -> Void

    init(
        _ manner: Manner = Manner(), happening: @escaping @Sendable (inout State) -> Void = { _ in }
    ) {
        self.manner = manner
        self.happening = happening
        state = Mutex(State())
    }

    func change<Result: Sendable>(_ body: (inout sending State) throws -> sending Result) rethrows
        -> Result
    {
        try state.withLock { try body(&$0) }
    }

    var asked: [String] { state.withLock { $0.asked } }

    /// The true time.
    var date: Date {
        state.withLock { Date(timeIntervalSince1970: Double($0.time) / 1_000_000_000) }
    }

    /// Writes a row now.
    func write(_ id: String, committedAfter seconds: Double = 0, isDeleted: Bool = false) {
        change {
            $0.write(
                id, digits: manner.storedDigits, committedAfter: Int64(seconds * 1_000_000_000),
                isDeleted: isDeleted)
        }
    }

    /// Lets time go by.
    func pass(seconds: Double) {
        change { $0.time += Int64(seconds * 1_000_000_000) }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let result = state.withLock { state -> Result<FullHTTPResponse, ReplicationError> in
            happening(&state)
            let path = request.path ?? ""
            state.asked.append("\(request.method.rawValue) \(path)")
            do {
                let answer = try self.answer(path, state)
                state.sizes.append([WireSize.bytes(of: request), WireSize.bytes(of: answer)])
                return .success(answer)
            } catch {
                return .failure(
                    ReplicationError(.protocolViolation, "The naive table: \(error)"))
            }
        }
        return try result.get()
    }

    private func answer(_ path: String, _ state: State) throws -> FullHTTPResponse {
        var options: [String: String] = [:]
        for pair in path.split(separator: "?", maxSplits: 1).dropFirst().joined()
            .split(separator: "&")
        {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            options[sides[0]] = sides[1].removingPercentEncoding
        }
        let includesDeleted =
            options[manner.isNew ? "__includedeleted" : "__includeDeleted"] == "true"
        let condition = try options["$filter"].map { try NaiveCondition($0) }
        var rows = state.visible.values.filter { row in
            (includesDeleted || !row.isDeleted) && condition?.holds(row) ?? true
                && (!state.hidden.contains(row.id) || options["$orderby"] == nil)
        }
        rows.sort {
            if options["$orderby"]?.hasPrefix("id") == true { return $0.id < $1.id }
            return ($0.time, $0.id) < ($1.time, $1.id)
        }
        let count = rows.count
        rows = Array(rows.dropFirst(options["$skip"].flatMap { Int($0) } ?? 0))
        let remaining = rows.count
        let top = options["$top"].flatMap { Int($0) } ?? 50
        rows = Array(rows.prefix(min(top, manner.pageSizeMax)))
        let shown = JSONValue.array(rows.map { json($0) })
        let isCounted =
            manner.counts
            && options[manner.isNew ? "$count" : "$inlinecount"] != nil
        var value = shown
        if manner.isNew {
            let isLast = rows.count == remaining || rows.count >= top
            let link: JSONValue = isLast ? .null : .string("$skip=\(rows.count)")
            value = [
                "items": shown, "count": isCounted ? .integer(Int64(count)) : .null,
                "nextLink": link,
            ]
        } else if isCounted {
            value = ["results": shown, "count": .integer(Int64(count))]
        }
        var answer = FullHTTPResponse.json(
            200, String(decoding: JSONText.text(of: value), as: UTF8.self))
        if manner.tellsTime {
            answer.head.headerFields[.date] = NaiveTime.field(state.time + state.lead)
        }
        return answer
    }

    private func json(_ row: Row) -> JSONValue {
        let time = NaiveTime.text(
            row.time, digits: manner.shownDigits, dropsZeros: manner.dropsZeros)
        return [
            "id": .string(row.id), "createdAt": "2020-01-01T00:00:00.000Z",
            "updatedAt": .string(time), "version": .string("v\(row.version)"),
            "deleted": .bool(row.isDeleted), "n": .integer(Int64(row.version)),
            "text": .string(manner.extra),
        ]
    }
}
